import { expect, it } from 'vitest';
import { CLOSED_RUNS_MAX, type ClosedRuns, NO_CLOSED_RUNS } from '../../src/domain/claim.ts';
import type { PayoutState } from '../../src/domain/payout-state.ts';
import type { QuietScope, Store } from '../../src/store/store.ts';
import { batchClaim, claimRow, payoutClaim } from './samples.ts';
import { onEveryStore } from './stores.ts';

const reference = (id: string): string => claimRow(1, id).reference;

const B1: QuietScope = { batchId: 'b1' };

async function quiet(
  store: Store,
  scope: QuietScope,
  { changedBefore = 5_000, now = 5_000, after = null as string | null, limit = 10 } = {},
): Promise<string[]> {
  const rows = await store.quietPayouts(scope, { changedBefore, now }, { after, limit });
  return rows.map(({ documentId }) => documentId);
}

/** A batch whose released rows are in these states since 2,000. */
async function released(store: Store, states: Readonly<Record<string, PayoutState>>): Promise<void> {
  const ids = Object.keys(states);
  await store.claimBatch(batchClaim('b1', ids));
  await store.markReleased(ids.map(reference), 2_000);
  for (const [id, state] of Object.entries(states)) {
    if (state !== 'received') await store.changePayout(reference(id), { state, at: 2_000 });
  }
}

const closedRuns = (count: number, nextRestartAt: number | null = null): ClosedRuns => ({
  count,
  closedState: 'processing',
  nextRestartAt,
});

onEveryStore('Payouts are quiet', (test) => {
  it('when they were released, have no end and have not changed, page by page', async () => {
    const store = await test.open();
    await released(store, { a: 'received', b: 'processing', c: 'needs-operator', done: 'completed', busy: 'held' });
    await store.changePayout(reference('busy'), { state: 'held', at: 5_000 });
    await store.claimBatch(batchClaim('b2', ['never released']));
    const all = await quiet(store, B1);
    expect(all.toSorted()).toEqual(['a', 'b', 'c']);
    expect(await quiet(store, { batchId: 'b2' })).toEqual([]);
    const [first, ...others] = all;
    expect(await quiet(store, B1, { limit: 1 })).toEqual([first]);
    expect(await quiet(store, B1, { after: reference(first ?? '') })).toEqual(others);
  });

  it('when a clock that was ahead has said that they changed', async () => {
    const store = await test.open();
    await released(store, { a: 'processing', b: 'processing' });
    await store.changePayout(reference('a'), { state: 'processing', at: 86_400_000 });
    await store.changePayout(reference('b'), { state: 'processing', at: 5_500 });
    expect(await quiet(store, B1, { changedBefore: 4_000, now: 5_000 })).toEqual(['a']);
  });

  it('of batches that have ended, in any later state, and without a batch', async () => {
    const store = await test.open();
    await released(store, { a: 'needs-operator', b: 'needs-operator' });
    await store.claimPayout(payoutClaim('alone'));
    expect(await quiet(store, 'ended-batches')).toEqual([]);
    expect(await store.endBatch('b1', 3_000)).toBe(true);
    await store.changePayout(reference('a'), { state: 'processing', at: 2_000 });
    expect((await quiet(store, 'ended-batches')).toSorted()).toEqual(['a', 'b']);
    expect(await quiet(store, { batchId: null })).toEqual(['alone']);
    await store.reopenBatch('b1');
    expect(await quiet(store, 'ended-batches')).toEqual([]);
    // One of its rows is at work again.
    expect(await store.endBatch('b1', 4_000)).toBe(false);
  });

  it('not before they may be started again', async () => {
    const store = await test.open();
    await released(store, { a: 'processing' });
    expect(await store.countClosedRun(reference('a'), NO_CLOSED_RUNS, closedRuns(1, 6_000))).toBe(true);
    expect(await quiet(store, B1)).toEqual([]);
    expect(await quiet(store, B1, { now: 6_000 })).toEqual(['a']);
    const [row] = await store.quietPayouts(B1, { changedBefore: 5_000, now: 6_000 }, { after: null, limit: 1 });
    expect(row?.closedRuns).toEqual(closedRuns(1, 6_000));
  });

  it('no more once they were handed to people for it, until an operator starts them again', async () => {
    const store = await test.open();
    await released(store, { a: 'processing' });
    await store.countClosedRun(reference('a'), NO_CLOSED_RUNS, closedRuns(CLOSED_RUNS_MAX));
    expect(await quiet(store, B1)).toEqual(['a']);
    await store.changePayout(reference('a'), { state: 'needs-operator', at: 2_000 });
    expect(await quiet(store, B1)).toEqual([]);
    await store.forgetClosedRuns(reference('a'));
    expect(await quiet(store, B1)).toEqual(['a']);
  });
});

onEveryStore('A closed run is counted', (test) => {
  it('once, by the first that found it, and not of a payout with an end', async () => {
    const store = await test.open();
    await released(store, { a: 'processing', done: 'completed' });
    const count = (): Promise<boolean> => store.countClosedRun(reference('a'), NO_CLOSED_RUNS, closedRuns(1));
    expect(await Promise.all([count(), count(), count()])).toEqual(expect.arrayContaining([true, false, false]));
    expect(await count()).toBe(false);
    expect(await store.countClosedRun(reference('a'), closedRuns(1), closedRuns(2))).toBe(true);
    expect(await store.countClosedRun(reference('done'), NO_CLOSED_RUNS, closedRuns(1))).toBe(false);
  });
});
