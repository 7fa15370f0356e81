import { expect, it } from 'vitest';
import { hasVerdicts, objectionOf, type PayeeCheck } from '../../src/domain/payee.ts';

it.each([
  ['verification', 'match', undefined],
  ['verification', 'close-match', 'payee-close-match'],
  ['verification', 'no-match', 'payee-no-match'],
  ['verification', 'not-available', 'payee-not-verified'],
  ['screening', 'clear', undefined],
  ['screening', 'hit', 'screening-hit'],
  ['screening', 'not-available', 'screening-not-available'],
] as const)('%s %s is held for %s', (kind, verdict, reason) => {
  expect(objectionOf({ kind, verdict })).toBe(reason);
});

const screened: PayeeCheck = { kind: 'screening', verdict: 'hit', provider: 'p', payee: 'd', digest: 'x', askedAt: 1 };

it('a reading has the verdicts asked of it when there is one of each kind, with any content', () => {
  expect(hasVerdicts(undefined, [])).toBe(true);
  expect(hasVerdicts(undefined, ['screening'])).toBe(false);
  expect(hasVerdicts([screened], ['screening'])).toBe(true);
  expect(hasVerdicts([screened], ['screening', 'verification'])).toBe(false);
});
