import { expect, test } from 'vitest';
import { CODE_RULES, envelopeError } from '../../src/bank/errors.ts';
import { ENVELOPE_CODES } from '../../src/bank/schemas/envelope.ts';

const DETAILS = { operation: 'POST /v1/banking/transactions/payment' };

test('every failure code of the interface has a rule and means a condition of its own', () => {
  const codes = Object.keys(ENVELOPE_CODES).filter((code) => code !== '0');
  expect(Object.keys(CODE_RULES)).toEqual(codes);
  const conditions = codes.map((code) => envelopeError(Number(code), DETAILS).condition);
  expect(conditions).toEqual(Object.values(CODE_RULES).map(({ condition }) => condition));
  expect(new Set(conditions).size).toBe(codes.length);
});

test('a code the interface does not list is ambiguous', () => {
  expect(envelopeError(3001, DETAILS)).toMatchObject({ outcome: 'ambiguous', condition: 'unlisted', code: 3001 });
});

test('a status that says less than the code overrides the rule', () => {
  expect(envelopeError(2010, { ...DETAILS, outcome: 'ambiguous' })).toMatchObject({ outcome: 'ambiguous', code: 2010 });
});
