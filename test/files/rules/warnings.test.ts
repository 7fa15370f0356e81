import { describe, expect, it } from 'vitest';
import { warningsOf } from '../../../src/files/rules/warnings.ts';

const GOOD = { id: 'INV-1', uid: 'u-1', account_id: 'acc-1', amount: '1.00', currency: 'EUR' };
const TODAY = { today: '2026-11-23', calendar: undefined };
const CALENDAR = {
  weekend: ['SAT', 'SUN'],
  paymentSystems: false,
  holidays: { '*': ['2026-12-25'] },
  open: {},
  cutOffs: [],
} as const;
const BY_CALENDAR = {
  ...TODAY,
  calendar: CALENDAR,
};

describe('a row is warned of', () => {
  it.each<[Record<string, string>, string]>([
    [{ iban_no: 'DE00SAMPLE0000000001' }, 'iban-length'],
    [{ iban_no: '1234567890' }, 'not-an-iban'],
    [{ iban_no: 'IBAN DE89370400440532013000' }, 'not-an-iban'],
    [{ iban_no: 'XX89370400440532013000' }, 'iban-country'],
    [{ iban_no: 'GB82123412345698765432' }, 'iban-structure'],
    [{ swift_code: 'DAAEDEDDXX' }, 'bic-form'],
    [{ swift_code: '12345678' }, 'bic-form'],
    [{ swift_code: 'COBAZZFF' }, 'bic-form'],
    [{ aba_routing_code: '0210000211' }, 'bank-code-form'],
    [{ sort_code: '20-20-1A' }, 'bank-code-form'],
    [{ mobile: '0791234567' }, 'phone-form'],
    [{ mobile: 'on file' }, 'phone-form'],
    [{ note: 'line one\nline two' }, 'line-break'],
    [{ reason: 'a\tb' }, 'line-break'],
    [{ note: 'RF18 5390 0754 7035' }, 'reference-check-digits'],
    [{ note: '+++090/9337/55494+++' }, 'reference-check-digits'],
    [{ iban_no: 'GB82WEST12345698765433' }, 'iban-check-digits'],
    [{ aba_routing_code: '021000022' }, 'routing-check-digit'],
    [{ aba_routing_code: '21000021' }, 'lost-leading-zeros'],
    [{ bsb: '62-000' }, 'lost-leading-zeros'],
    [{ account_no: '1.23457E+11' }, 'scientific-notation'],
    [{ id: '4,1E+15' }, 'scientific-notation'],
    [{ id: '="00123"' }, 'spreadsheet-text'],
    [{ id: "'00123" }, 'spreadsheet-text'],
    [{ id: 'cafe\u0301-1' }, 'another-spelling'],
    [{ uid: 'cafe\u0301' }, 'another-spelling'],
    [{ id: 'INV\ufe0f1' }, 'another-spelling'],
    [{ id: 'INV\u00a01' }, 'another-spelling'],
    [{ account_name: '=A1' }, 'spreadsheet-text'],
    [{ account_name: 'MÃ¼ller' }, 'garbled-letters'],
    [{ address_city: 'ZÃ¼rich' }, 'garbled-letters'],
    [{ account_name: 'Åukasz WiÅ›niewski' }, 'garbled-letters'],
    [{ note: 'Invoice â€œ7â€\u009d' }, 'garbled-letters'],
    [{ note: 'M\ufffdller' }, 'garbled-letters'],
    [{ execute_on: '2026-11-22' }, 'date-in-the-past'],
    [{ execute_on: '2027-11-24' }, 'date-far-ahead'],
    [{ execute_on: '2062-11-26' }, 'date-far-ahead'],
    [{ execute_on: '2026-11-28' }, 'closed-day'],
    [{ expires_at: '2026-11-22T23:59:59Z' }, 'expires-before-sent'],
    [{ expires_at: '2026-11-23T01:00:00+02:00' }, 'expires-before-sent'],
    [{ expires_at: '2026-11-24T17:00:00Z', execute_on: '2026-11-25' }, 'expires-before-sent'],
  ])('%o: %s', (change, rule) => {
    const [column] = Object.keys(change);
    expect(warningsOf({ ...GOOD, ...change }, TODAY)).toMatchObject([{ column, rule }]);
  });

  it.each<[string, string]>([
    ['2026-11-28', '2026-11-30'],
    ['2026-12-25', '2026-12-28'],
  ])('that the calendar moves from %s to %s', (executeOn, due) => {
    const [warning] = warningsOf({ ...GOOD, execute_on: executeOn }, BY_CALENDAR);
    expect(warning).toMatchObject({ rule: 'closed-day', message: expect.stringContaining(due) });
  });
});

it.each<Record<string, string>>([
  { iban_no: 'GB82 WEST 1234 5698 7654 32' },
  { execute_on: '2027-11-23' },
  { aba_routing_code: '021000021' },
  { bsb: '062-000' },
  { swift_code: 'NTSBDEB1' },
  { swift_code: 'N26CDEB1XXX' },
  { mobile: '+49 (0)170 000000' },
  { note: 'RF18 5390 0754 7034' },
  { note: '+++090/9337/55493+++' },
  { note: 'RF18 is our order' },
  { note: '210000000003139471430009018' },
  { note: '' },
  { note: '=1 of 2' },
  { account_name: "'t Hart" },
  { account_name: 'Müller, JOÃO ÂNGELO, Ærø, Łódź, Großmann’s' },
  { execute_on: '2026-11-23' },
  { execute_on: '2026-11-24' },
  { expires_at: '2026-11-23T17:00:00Z' },
])('%o is nothing to warn of', (change) => {
  expect(warningsOf({ ...GOOD, ...change }, TODAY)).toEqual([]);
  expect(warningsOf({ ...GOOD, ...change }, BY_CALENDAR)).toEqual([]);
});

const QR = 'CH4431999123000889012';
const REFERENCE = '210000000003139471430009017';

describe('of two values that do not go together a row is warned', () => {
  it.each<[Record<string, string>, string | undefined]>([
    [{ iban_no: 'DE89370400440532013000', swift_code: 'NCBKSAJE' }, 'bic-country'],
    [{ iban_no: 'DE89370400440532013000', swift_code: 'COBADEFFXXX' }, undefined],
    [{ iban_no: 'FR7630006000011234567890189', swift_code: 'SAMPREPP' }, undefined],
    [{ iban_no: QR, note: REFERENCE }, undefined],
    [{ iban_no: QR, note: '21 00000 00003 13947 14300 09017' }, undefined],
    [{ iban_no: QR, note: '210000000003139471430009018' }, 'reference-check-digits'],
    [{ iban_no: QR, note: 'Invoice 7' }, 'reference-missing'],
    [{ iban_no: QR }, 'reference-missing'],
    [{ iban_no: QR, note: 'RF18539007547034' }, 'reference-account'],
    [{ iban_no: 'CH5604835012345678009', note: REFERENCE }, 'reference-account'],
    [{ iban_no: 'CH5604835012345678009', note: 'RF18539007547034' }, undefined],
    [{ address_country: 'DE', address_postcode: '6031' }, 'postcode-form'],
    [{ address_country: 'DE', address_postcode: 'D-60311' }, undefined],
    [{ address_country: 'GB', address_postcode: 'EC1A 1BB' }, undefined],
    [{ address_country: 'SE', address_postcode: '111 22' }, undefined],
    [{ address_country: 'HK', address_postcode: 'none' }, undefined],
  ])('%o: %s', (change, rule) => {
    expect(warningsOf({ ...GOOD, ...change }, TODAY).map((it) => it.rule)).toEqual(rule === undefined ? [] : [rule]);
  });
});

it.each<[reference: string, iban: string, right: boolean]>([
  ['RF18539007547034', 'DE89370400440532013000', true],
  ['RF18539007547043', 'DE89370400440532013000', false],
  ['1234561', 'FI2112345600000785', true],
  ['1234567', 'FI2112345600000785', false],
  ['090933755493', 'BE68539007547034', true],
  ['090933755494', 'BE68539007547034', false],
  ['2345676', 'NO9386011117947', true],
  ['2345677', 'NO9386011117947', false],
  ['1234567', 'DE89370400440532013000', true],
])('a structured reference %s to %s: right %s', (reference, iban_no, right) => {
  const found = warningsOf({ ...GOOD, iban_no, note: `Invoice ${reference}` }, TODAY, reference);
  expect(found.map(({ rule }) => rule)).toEqual(right ? [] : ['reference-check-digits']);
});

it.each([
  ['EUR', '2027-03-26', ['closed-day']],
  ['EUR', '2027-03-28', ['closed-day']],
  ['JPY', '2027-03-26', []],
])('without a calendar a row in %s is warned of on %s: %o', (currency, executeOn, rules) => {
  const found = warningsOf({ ...GOOD, currency, execute_on: executeOn }, TODAY);
  expect(found.map(({ rule }) => rule)).toEqual(rules);
});
