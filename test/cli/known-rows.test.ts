import { expect, it, onTestFinished } from 'vitest';
import { sortRows } from '../../src/cli/known-rows.ts';
import { openStore } from '../../src/store/open.ts';
import type { ClaimRow, Store } from '../../src/store/store.ts';
import { claimRowsOf } from './rows.ts';

async function storeWith(rows: readonly ClaimRow[]): Promise<Store> {
  const store = await openStore('file::memory:');
  onTestFinished(() => store.close());
  await store.claimBatch({ batchId: 'batch-1', file: 'first.csv', sha256: 'sha', by: null, rows, at: 1_000 });
  return store;
}

const lineOf = (row: number): number => row + 1;

it('tells new rows, known rows and misused ids apart, each finding with its place in the new file', async () => {
  const store = await storeWith(claimRowsOf({ id: 'same' }, { id: 'changed' }));
  const rows = claimRowsOf({ id: 'new' }, { id: 'changed', amount: '99.00' }, { id: 'same' });
  const sorted = await sortRows(store, 'second.csv', rows, lineOf);
  expect(sorted.fresh.map(({ instruction }) => instruction.id)).toEqual(['new']);
  expect(sorted.known.map(({ row, samePayload }) => [row, samePayload])).toEqual([
    [2, false],
    [3, true],
  ]);
  expect(sorted.reused).toEqual([
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
  expect(sorted.taken).toMatchObject([{ line: 4, row: 3, value: 'same', rule: 'already-taken' }]);
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
  const { taken } = await sortRows(store, 'second.csv', [row], lineOf);
  expect(taken[0]?.message).toContain('a payout started by itself');
});

it('takes the same document of another user for another payout', async () => {
  const store = await storeWith(claimRowsOf({ id: 'same' }));
  const rows = claimRowsOf({ id: 'same', uid: 'u-1002' });
  expect(await sortRows(store, 'second.csv', rows, lineOf)).toEqual({ fresh: rows, known: [], reused: [], taken: [] });
});
