import { expect, it } from 'vitest';
import { dropKnown } from '../../../src/files/intake/known-rows.ts';
import type { ClaimRow, Store } from '../../../src/store/store.ts';
import { newStore } from '../../support/empty-store.ts';
import { claimRowsOf } from './rows.ts';
import { checkedOf } from './staged.ts';

async function storeWith(rows: readonly ClaimRow[]): Promise<Store> {
  const store = await newStore();
  await store.claimBatch({ batchId: 'batch-1', file: 'first.csv', sha256: 'sha', by: null, rows, at: 1_000 });
  return store;
}

it('separates new rows, known rows and misused ids, each finding with its place in the new file', async () => {
  const store = await storeWith(claimRowsOf({ id: 'same' }, { id: 'changed' }));
  const checked = checkedOf(
    'second.csv',
    claimRowsOf({ id: 'new' }, { id: 'changed', amount: '99.00' }, { id: 'same' }),
  );
  const { batchIds, misused, taken } = await dropKnown(store, checked);
  expect([...checked.staged.claims()].map(({ instruction }) => instruction.id)).toEqual(['new']);
  expect({ taken: taken.total, batchIds }).toEqual({ taken: 1, batchIds: new Set(['batch-1']) });
  expect(misused.list()).toEqual([
    {
      file: 'second.csv',
      line: 3,
      row: 2,
      column: 'id',
      value: 'changed',
      rule: 'id-reused',
      message: expect.stringContaining('batch batch-1'),
    },
  ]);
  expect(taken.list()).toMatchObject([{ line: 4, row: 3, value: 'same', rule: 'already-taken' }]);
});

it('knows a payout that was started by itself', async () => {
  const store = await storeWith([]);
  const [row] = claimRowsOf({ id: 'alone' });
  if (row === undefined) throw new Error('no row');
  const { reference, workflowId, instruction, payloadDigest } = row;
  await store.claimPayout({
    ...{ reference, workflowId, instruction, payloadDigest },
    generation: 0,
    by: null,
    runId: 'run-1',
    derivedReferences: [],
    at: 1_000,
  });
  const { taken } = await dropKnown(store, checkedOf('second.csv', [row]));
  expect(taken.list()[0]?.message).toContain('a payout outside a batch');
});

it('takes the same document of another user for another payout', async () => {
  const store = await storeWith(claimRowsOf({ id: 'same' }));
  const checked = checkedOf('second.csv', claimRowsOf({ id: 'same', uid: 'u-1002' }));
  expect((await dropKnown(store, checked)).taken.total).toBe(0);
  expect(checked.staged.claimCount).toBe(1);
});

it('knows the same money written in another form, and reports another payee under the id', async () => {
  const payee = { beneficiary_id: undefined, beneficiary_type: 'business', payment_type: 'swift' };
  const store = await storeWith(
    claimRowsOf({ id: 'a', ...payee, iban_no: 'GB33BUKB20201555555555', account_name: 'Example Ltd' }),
  );
  const spaced = { ...payee, iban_no: 'gb33 BUKB 2020 1555 5555 55', account_name: 'EXAMPLE LTD', note: 'invoice 7' };
  expect((await dropKnown(store, checkedOf('second.xml', claimRowsOf({ id: 'a', ...spaced })))).taken.total).toBe(1);
  const other = { ...spaced, iban_no: 'GB82WEST12345698765432' };
  expect((await dropKnown(store, checkedOf('second.xml', claimRowsOf({ id: 'a', ...other })))).misused.total).toBe(1);
});
