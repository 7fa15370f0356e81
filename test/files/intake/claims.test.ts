import fc from 'fast-check';
import { expect, test } from 'vitest';
import { claimRow } from '../../../src/files/intake/known-rows.ts';
import type { ClaimRow } from '../../../src/store/store.ts';

const row = (index: number, id: string, amount = '10.00'): ClaimRow =>
  claimRow({
    row: index + 1,
    instruction: { id, uid: 'u-1001', account_id: 'acc-1', amount, currency: 'EUR', beneficiary_id: 'ben-1' },
  });

test('gives a row the reference of its uid and id, and the workflow id of that reference', () => {
  expect(row(0, 'INV-1')).toMatchObject({
    row: 1,
    reference: 'b27b49c9-d5fa-507d-9eb0-f6a0d7127495',
    workflowId: 'payout/b27b49c9-d5fa-507d-9eb0-f6a0d7127495',
    instruction: { id: 'INV-1' },
  });
});

test('gives twin rows with different ids different references and one payload digest', () => {
  const [first, second] = [row(0, 'INV-1'), row(1, 'INV-2')];
  expect(first.reference).not.toBe(second.reference);
  expect(first.payloadDigest).toBe(second.payloadDigest);
});

test('gives any permutation of the rows the same references and digests', () => {
  const ids = fc.uniqueArray(fc.stringMatching(/^[A-Z0-9-]{1,12}$/), { minLength: 1, maxLength: 12 });
  const shuffled = ids.chain((each) =>
    fc.tuple(fc.constant(each), fc.shuffledSubarray(each, { minLength: each.length })),
  );
  fc.assert(
    fc.property(shuffled, ([inOrder, permuted]) => {
      const identities = (list: string[]) =>
        list.map((id, index) => row(index, id)).map(({ reference, payloadDigest }) => `${reference} ${payloadDigest}`);
      expect(identities(permuted).sort()).toEqual(identities(inOrder).sort());
    }),
  );
});

test('gives another generation of a document another reference and the same payload', () => {
  const first = row(0, 'INV-1');
  const again = claimRow({ row: 1, instruction: first.instruction, generation: 1 });
  expect(again).toMatchObject({ generation: 1, payloadDigest: first.payloadDigest });
  expect(again.reference).not.toBe(first.reference);
});

test('gives rows of the same payee, amount and currency one look-alike key, however the amount is written', () => {
  expect(row(0, 'INV-1').lookAlikeKey).toBe(row(1, 'INV-2', '10').lookAlikeKey);
  expect(row(0, 'INV-1').lookAlikeKey).not.toBe(row(1, 'INV-2', '10.01').lookAlikeKey);
});
