import fc from 'fast-check';
import { expect, test } from 'vitest';
import { matchPattern } from '../../src/api/pattern.ts';

/** No machine is busy for so long that a quick pattern reaches it. */
const AMPLE_MS = 60_000;

/** Patterns the interface shows (sections 2 and 8) and two usual ones. */
const PATTERNS = ['^[\\d ]{6,13}$', '^[\\d ]+$', '^[a-zA-Z0-9 ]{6,15}$', '^\\+?\\d{6,15}$', '\\d'];

test('agrees with RegExp.test on the patterns of the interface', () => {
  const value = fc.oneof(fc.string(), fc.stringMatching(/^[\dA-Za-z +-]{0,20}\n?$/));
  fc.assert(
    fc.property(fc.constantFrom(...PATTERNS), value, (pattern, text) => {
      expect(matchPattern(pattern, text)).toBe(new RegExp(pattern).test(text) ? 'match' : 'mismatch');
    }),
  );
});

test('the postcode pattern of the interface takes digits, dashes and every letter', () => {
  for (const postcode of ['10001', '10001-1234', 'SW1A1AA', 'd02x285']) {
    expect(matchPattern('^[\\d-A-Za-z]+$', postcode)).toBe('match');
  }
  for (const text of ['10 001', '10001#', '']) expect(matchPattern('^[\\d-A-Za-z]+$', text)).toBe('mismatch');
});

test('a pattern that backtracks for ever runs in linear time', () => {
  expect(matchPattern('^(a+)+$', `${'a'.repeat(50_000)}!`)).toBe('mismatch');
});

test('a pattern with look-around works, and is stopped when it takes too long', () => {
  expect(matchPattern('^(?!0)\\d+$', '12', AMPLE_MS)).toBe('match');
  expect(matchPattern('^(?!0)\\d+$', '012', AMPLE_MS)).toBe('mismatch');
  expect(matchPattern('^(?=a)(a+)+$', `${'a'.repeat(60)}!`)).toBe('too-slow');
});

test('a pattern no engine reads decides nothing', () => {
  expect(matchPattern('[', 'x', AMPLE_MS)).toBe('undecided');
});
