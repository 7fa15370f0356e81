import { expect, it } from 'vitest';
import type { PayoutState } from '../../src/domain/payout-state.ts';
import type { Store } from '../../src/store/store.ts';
import { batchClaim, claimRow, documentIds } from './samples.ts';
import { onEveryStore } from './stores.ts';

const CANCELLED = { code: 'batch-cancelled', message: 'the batch was cancelled before this row was sent' };

const reference = (id: string): string => claimRow(1, id).reference;

async function change(store: Store, id: string, state: PayoutState, at = 3_000): Promise<void> {
  expect(await store.changePayout(reference(id), { state, at })).toBe(true);
}

const documentsOf = (rows: readonly { documentId: string }[]): string[] => rows.map(({ documentId }) => documentId);

onEveryStore('Rows of a batch', (test) => {
  it('are counted by state', async () => {
    const store = await test.open();
    await store.claimBatch(batchClaim('b1', ['a', 'b', 'c']));
    await store.claimBatch(batchClaim('b2', ['d']));
    await change(store, 'a', 'completed');
    expect(await store.stateCounts('b1')).toEqual(
      new Map([
        ['completed', 1],
        ['received', 2],
      ]),
    );
    expect(await store.stateCounts('unknown')).toEqual(new Map());
  });

  it('fill the window from release until the bank has accepted their order, or they wait for people', async () => {
    const store = await test.open();
    await store.claimBatch(batchClaim('b1', ['a', 'b', 'c', 'd', 'e', 'f', 'g']));
    expect(await store.inFlight('b1')).toEqual({ waiting: 0, unaccepted: 0, openOrders: 0 });
    await store.markReleased(['a', 'b', 'c', 'd', 'e', 'f'].map(reference), 2_000);
    expect(await store.inFlight('b1')).toEqual({ waiting: 6, unaccepted: 6, openOrders: 6 });
    for (const state of ['preparing', 'submitting', 'resolving'] as const) {
      await change(store, 'a', state);
      expect(await store.inFlight('b1')).toEqual({ waiting: 5, unaccepted: 6, openOrders: 6 });
    }
    await change(store, 'b', 'processing');
    await change(store, 'c', 'converting');
    await change(store, 'd', 'awaiting-bank-approval');
    expect(await store.inFlight('b1')).toEqual({ waiting: 2, unaccepted: 3, openOrders: 6 });
    await change(store, 'b', 'completed');
    await change(store, 'e', 'needs-operator');
    await change(store, 'f', 'awaiting-funds');
    expect(await store.inFlight('b1')).toEqual({ waiting: 0, unaccepted: 1, openOrders: 3 });
  });

  it('share the cap of open orders with every other batch, and have a window of their own', async () => {
    const store = await test.open();
    await store.claimBatch(batchClaim('b1', ['a']));
    await store.claimBatch(batchClaim('b2', ['b', 'c', 'd']));
    await store.markReleased(['b', 'c'].map(reference), 2_000);
    await change(store, 'b', 'processing');
    await change(store, 'c', 'preparing');
    expect(await store.inFlight('b1')).toEqual({ waiting: 0, unaccepted: 0, openOrders: 2 });
    expect(await store.inFlight('b2')).toEqual({ waiting: 0, unaccepted: 1, openOrders: 2 });
  });

  it('are releasable in row order until they are released or have an end', async () => {
    const store = await test.open();
    await store.claimBatch(batchClaim('b1', ['a', 'b', 'c', 'd']));
    await store.markReleased([reference('a')], 2_000);
    await change(store, 'c', 'failed');
    expect(documentsOf(await store.releasable('b1', 10))).toEqual(['b', 'd']);
    expect(documentsOf(await store.releasable('b1', 1))).toEqual(['b']);
  });

  it('keep the time of their first release', async () => {
    const store = await test.open();
    await store.claimBatch(batchClaim('b1', ['a']));
    await store.markReleased([reference('a')], 2_000);
    await store.markReleased([reference('a')], 9_000);
    expect(await store.payout(reference('a'))).toMatchObject({ releasedAt: 2_000, updatedAt: 2_000 });
  });

  it('end as cancelled while nobody has released them', async () => {
    const store = await test.open();
    await store.claimBatch(batchClaim('b1', ['a', 'b', 'c', 'd']));
    await store.claimBatch(batchClaim('b2', ['e']));
    await store.markReleased([reference('a')], 2_000);
    await change(store, 'b', 'failed');
    expect(await store.cancelUnreleased('b1', null, CANCELLED, 3_000)).toBe(2);
    expect(await store.payout(reference('c'))).toMatchObject({ state: 'cancelled', reason: CANCELLED, endedAt: 3_000 });
    expect((await store.payout(reference('a')))?.state).toBe('received');
    expect((await store.payout(reference('b')))?.state).toBe('failed');
    expect((await store.payout(reference('e')))?.state).toBe('received');
    expect(await store.cancelUnreleased('b1', null, CANCELLED, 4_000)).toBe(0);
  });

  it('are found by state once released and without an end', async () => {
    const store = await test.open();
    await store.claimBatch(batchClaim('b1', ['a', 'b', 'c', 'd']));
    await store.markReleased(['a', 'b', 'c'].map(reference), 2_000);
    await change(store, 'a', 'held');
    await change(store, 'b', 'completed');
    expect(documentsOf(await store.rowsIn('b1', ['held', 'received', 'completed']))).toEqual(['a', 'c']);
    expect(await store.rowsIn('b1', [])).toEqual([]);
  });

  it('are read page by page in row order while others write', async () => {
    const store = await test.open();
    await store.claimBatch(batchClaim('b1', documentIds(2_100)));
    const seen: number[] = [];
    for await (const { row, reference: current } of store.rows('b1')) {
      if (row === 1_000) await store.changePayout(current, { state: 'completed', at: 3_000 });
      seen.push(row ?? 0);
    }
    expect(seen).toEqual(Array.from({ length: 2_100 }, (_, index) => index + 1));
  });
});
