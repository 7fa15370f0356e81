import fc from 'fast-check';
import { expect, test } from 'vitest';
import { claimRows } from '../../src/erp/claims.ts';
import type { ValidRow } from '../../src/erp/validate.ts';

const row = (index: number, id: string, amount = '10.00'): ValidRow => ({
  row: index + 1,
  line: index + 2,
  instruction: { id, uid: 'u-1001', account_id: 'acc-1', amount, currency: 'EUR', beneficiary_id: 'ben-1' },
});

test('gives a row the reference of its uid and id, and the workflow id of that reference', () => {
  expect(claimRows([row(0, 'INV-1')])).toMatchObject([
    {
      row: 1,
      reference: 'b27b49c9-d5fa-507d-9eb0-f6a0d7127495',
      workflowId: 'payout/b27b49c9-d5fa-507d-9eb0-f6a0d7127495',
      instruction: { id: 'INV-1' },
    },
  ]);
});

test('gives twin rows with different ids different references and one payload digest', () => {
  const [first, second] = claimRows([row(0, 'INV-1'), row(1, 'INV-2')]);
  expect(first?.reference).not.toBe(second?.reference);
  expect(first?.payloadDigest).toBe(second?.payloadDigest);
});

test('gives any permutation of the rows the same references and digests', () => {
  const ids = fc.uniqueArray(fc.stringMatching(/^[A-Z0-9-]{1,12}$/), { minLength: 1, maxLength: 12 });
  const shuffled = ids.chain((each) =>
    fc.tuple(fc.constant(each), fc.shuffledSubarray(each, { minLength: each.length })),
  );
  fc.assert(
    fc.property(shuffled, ([inOrder, permuted]) => {
      const identities = (list: string[]) =>
        claimRows(list.map((id, index) => row(index, id))).map(
          ({ reference, payloadDigest }) => `${reference} ${payloadDigest}`,
        );
      expect(identities(permuted).sort()).toEqual(identities(inOrder).sort());
    }),
  );
});
