import { expect, test } from 'vitest';
import { REASONS } from '../../../src/domain/reasons.ts';
import { fileCodeOf, findingCodeOf, reasonCodeOf } from '../../../src/reports/pain002/write-pain002.ts';

/** Of ExternalStatusReason1Code (2Q2026) the codes that an answer of ours may hold, and those of a verification of the payee. */
const EXTERNAL = new Set(
  'AC01 AC02 AC03 AC06 AC10 AC15 AG01 AM02 AM04 AM05 AM10 AM11 AM12 AM18 BE01 BE04 BE09 BE18 BE19 BE22 CH16 CH17 CH20 CH21 CUST DT01 DU01 DU02 DU04 FF01 FF03 FF05 MS03 NARR RC01 RR06 RR10 RVMC RVNM RVNA'.split(
    ' ',
  ),
);

test('every reason of a payout has a code of the external list', () => {
  for (const reason of [...Object.keys(REASONS), 'a-reason-of-tomorrow', 'constructor']) {
    expect(EXTERNAL).toContain(reasonCodeOf(reason));
  }
});

test.each([
  ['insufficient-funds', 'AM04'],
  ['refused-by-bank', 'NARR'],
  ['account-frozen', 'AC06'],
  ['cancelled-by-request', 'CUST'],
  ['look-alike', 'NARR'],
  ['payee-close-match', 'RVMC'],
  ['screening-hit', 'NARR'],
] as const)('%s is %s', (reason, expected) => {
  expect(reasonCodeOf(reason)).toBe(expected);
});

test.each([
  ['required', 'account_no', 'AC03'],
  ['required', 'note', 'CH21'],
  ['regex', 'aba_routing_code', 'RC01'],
  ['regex', 'address_city', 'BE04'],
  ['regex', 'another_field', 'NARR'],
  ['too-many-decimals', 'amount', 'CH20'],
  ['duplicate-id', 'id', 'DU04'],
  ['unmapped-account', 'account_id', 'AC02'],
  ['a-rule-of-tomorrow', null, 'NARR'],
] as const)('a row that breaks %s in %s has code %s', (rule, column, expected) => {
  expect(findingCodeOf({ rule, column })).toBe(expected);
});

test.each([
  ['wrong-control-sum', 'AM10'],
  ['wrong-transaction-count', 'AM18'],
  ['message-id-reused', 'DU01'],
  ['not-well-formed', 'FF01'],
  ['toString', 'FF01'],
])('a file that breaks %s has code %s', (rule, expected) => {
  expect(fileCodeOf(rule)).toBe(expected);
});
