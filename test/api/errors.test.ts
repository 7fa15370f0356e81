import { expect, test } from 'vitest';
import { CODE_RULES, EnvelopeError, envelopeError } from '../../src/api/errors.ts';
import { ENVELOPE_CODES } from '../../src/api/schemas/envelope.ts';

const DETAILS = { operation: 'POST /v1/banking/transactions/payment' };

test('every failure code of the interface has a rule and a class of its own', () => {
  const codes = Object.keys(ENVELOPE_CODES).filter((code) => code !== '0');
  expect(Object.keys(CODE_RULES)).toEqual(codes);
  expect(new Set(Object.values(CODE_RULES).map(({ errorClass }) => errorClass)).size).toBe(codes.length);
  const names = Object.keys(CODE_RULES).map((code) => envelopeError(Number(code), DETAILS).name);
  expect(new Set(names).size).toBe(codes.length);
});

test('a code the interface does not list is ambiguous', () => {
  const error = envelopeError(3001, DETAILS);
  expect(error.constructor).toBe(EnvelopeError);
  expect(error).toMatchObject({ outcome: 'ambiguous', code: 3001 });
});

test('a status that says less than the code overrides the rule', () => {
  expect(envelopeError(2010, { ...DETAILS, outcome: 'ambiguous' })).toMatchObject({ outcome: 'ambiguous', code: 2010 });
});
