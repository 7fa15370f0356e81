import fc from 'fast-check';
import { expect, it } from 'vitest';
import { INSTRUCTION_FIELDS } from '../../src/domain/instruction.ts';
import { didYouMean, nearest } from '../../src/domain/nearest.ts';

it.each([
  ['amuont', 'amount'],
  ['Amount', 'amount'],
  ['accountId', 'account_id'],
  ['ACCOUNT ID', 'account_id'],
  ['curency', 'currency'],
  ['execute-on', 'execute_on'],
  ['beneficiary', 'beneficiary_id'],
  ['fee_cpa', 'fee_cap'],
])('takes %s for %s', (typed, meant) => {
  expect(nearest(typed, INSTRUCTION_FIELDS)).toBe(meant);
});

it.each(['', 'xyz', 'creditor', 'department', 'date'])('has no guess for "%s"', (typed) => {
  expect(nearest(typed, INSTRUCTION_FIELDS)).toBeUndefined();
});

it('knows every name by itself, and with one letter changed, dropped, doubled or swapped with its neighbour', () => {
  const long = INSTRUCTION_FIELDS.filter((name) => name.length > 3);
  fc.assert(
    fc.property(fc.constantFrom(...long), fc.nat(), fc.nat({ max: 3 }), (name, place, slip) => {
      const at = place % (name.length - 1);
      const [before, letter, next, after] = [name.slice(0, at), name[at], name[at + 1], name.slice(at + 2)];
      const typed = [
        `${before}q${next}${after}`,
        `${before}${next}${after}`,
        `${before}${letter}${letter}${next}${after}`,
        `${before}${next}${letter}${after}`,
      ][slip];
      expect(nearest(name, INSTRUCTION_FIELDS)).toBe(name);
      expect(nearest(typed ?? '', INSTRUCTION_FIELDS)).toBe(name);
    }),
  );
});

it('ends a message with the guess, or says nothing', () => {
  expect(didYouMean('amuont', INSTRUCTION_FIELDS)).toBe(' Did you mean amount?');
  expect(didYouMean('xyz', INSTRUCTION_FIELDS)).toBe('');
});
