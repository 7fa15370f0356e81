import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import { batchClaim, claimRow, documentIds } from './samples.ts';
import { onEveryStore } from './stores.ts';

const NOT_DUE = { code: 'not-yet-due', message: 'waiting for its execution date' };
const SHORT = { code: 'insufficient-funds', message: 'short' };
const reference = (id: string): string => claimRow(1, id).reference;

onEveryStore('The order of release', (test) => {
  const claimed = async (canary?: number) => {
    const store = await test.open();
    const rows = [
      claimRow(1, 'a'),
      claimRow(2, 'b', { priority: 'normal' }),
      claimRow(3, 'c', { priority: 'high' }),
      claimRow(4, 'd', { priority: 'high' }),
    ];
    await store.claimBatch({ ...batchClaim('b-1', []), rows, canary });
    return store;
  };
  const documents = (rows: readonly { documentId: string }[]): string[] => rows.map(({ documentId }) => documentId);

  it('is by priority, then by row', async () => {
    const store = await claimed();
    expect(documents(await store.releasable('b-1', 10))).toEqual(['c', 'd', 'a', 'b']);
    expect(documents(await store.releasable('b-1', 3))).toEqual(['c', 'd', 'a']);
  });

  it('goes on where more accounts are paused than a condition has parts for', async () => {
    const store = await claimed();
    const paused = Array.from({ length: 3_000 }, (_, index) => ({ uid: 'user-1', accountId: `acc-${index + 2}` }));
    expect(documents(await store.releasable('b-1', 10, paused))).toEqual(['c', 'd', 'a', 'b']);
    expect(await store.releasable('b-1', 10, [...paused, { uid: 'user-1', accountId: 'acc-1' }])).toEqual([]);
    expect(await store.releasable('b-1', 10, [{ uid: 'user-2', accountId: 'acc-1' }])).toHaveLength(4);
  });

  it('takes no notice of a switch of a scope that only a newer build knows', async () => {
    const store = await claimed();
    const turnedOff = { key: 'k', reason: 'audit', by: 'alice', at: 1 };
    await store.switchOff({ ...turnedOff, scope: 'galaxy' as never });
    expect(await store.releasable('b-1', 10)).toHaveLength(4);
    await store.switchOff({ ...turnedOff, scope: 'account', key: 'acc-1' });
    expect(await store.releasable('b-1', 10)).toEqual([]);
  });

  it('is the order in which short money is given out', async () => {
    const store = await claimed();
    for (const [id, fundsNeeded] of [
      ['a', '1.00'],
      ['b', '2.00'],
      ['c', '3.00'],
      ['d', '4.00'],
    ] as const)
      await store.changePayout(reference(id), { state: 'awaiting-funds', reason: SHORT, fundsNeeded, at: 3 });
    const ahead = async (id: string) => (await store.fundsNeededAhead(reference(id))).toSorted();
    expect(await ahead('c')).toEqual([]);
    expect(await ahead('d')).toEqual(['3.00']);
    expect(await ahead('a')).toEqual(['3.00', '4.00']);
    expect(await ahead('b')).toEqual(['1.00', '3.00', '4.00']);
  });

  it('puts the canary first: what was released of it, and the next of the rest', async () => {
    const store = await claimed(3);
    expect((await store.batch('b-1'))?.canary).toBe(3);
    const canary = async () => (await store.canaryRows('b-1', 3)).map(({ row }) => row).toSorted();
    expect(await canary()).toEqual([1, 3, 4]);
    await store.markReleased([reference('d')], 2_000);
    await store.changePayout(reference('d'), { state: 'completed', reason: null, at: 2_100 });
    expect(await canary()).toEqual([1, 3, 4]);
    await store.endCanary('b-1', '3 rows completed', 3_000);
    expect((await store.batch('b-1'))?.canary).toBeNull();
  });

  it('ends a canary that has stopped its batch when the batch runs again, and no other one', async () => {
    const store = await claimed(2);
    await store.controlBatch({ batchId: 'b-1', control: 'paused', by: 'alice', at: 1 });
    await store.controlBatch({ batchId: 'b-1', control: 'running', by: 'alice', at: 1 });
    expect(await store.batch('b-1')).toMatchObject({ canary: 2, controlReason: null });
    await store.controlBatch({
      batchId: 'b-1',
      control: 'paused',
      by: 'alice',
      at: 1,
      reason: 'canary: row 3 is failed',
    });
    await store.controlBatch({ batchId: 'b-1', control: 'draining', by: 'alice', at: 1 });
    expect(await store.batch('b-1')).toMatchObject({ canary: 2, controlReason: 'canary: row 3 is failed' });
    await store.controlBatch({ batchId: 'b-1', control: 'running', by: 'alice', at: 1 });
    expect(await store.batch('b-1')).toMatchObject({ canary: null, controlReason: null });
  });

  it('leaves rows for a later day as scheduled, unless their workflow has begun', async () => {
    const store = await claimed();
    const { instruction, payloadDigest, workflowId } = claimRow(1, 'b', { priority: 'normal' });
    const claim = { workflowId, instruction, payloadDigest, generation: 0, by: null, derivedReferences: [] };
    await store.claimPayout({ ...claim, reference: reference('b'), runId: 'run-1', at: 1_900 });
    await store.markScheduled(['a', 'b'].map(reference), NOT_DUE, 2_000);
    expect(await store.payout(reference('a'))).toMatchObject({
      state: 'scheduled',
      reason: NOT_DUE,
      releasedAt: 2_000,
    });
    expect(await store.payout(reference('b'))).toMatchObject({ state: 'preparing', releasedAt: 1_900 });
    expect(await store.inFlight('b-1')).toMatchObject({ unaccepted: 1 });
    expect(documents(await store.releasable('b-1', 10))).toEqual(['c', 'd']);
    const begun = { ...claim, ...claimRow(1, 'a'), reference: reference('a'), runId: 'run-2', at: 3_000 };
    expect((await store.claimPayout(begun)).record).toMatchObject({ state: 'preparing', reason: null });
  });

  it('does not make a release slower with the rows released before it', async () => {
    const store = await test.open();
    await store.claimBatch(batchClaim('b-1', documentIds(3_000)));
    if (!test.url().startsWith('file:')) return;
    const file = new DatabaseSync(test.url().slice('file:'.length), { readOnly: true });
    const plan = file
      .prepare(
        `explain query plan select * from payouts where batch_id = ? and released_at is null
         and state not in ('completed', 'failed', 'rejected', 'cancelled') order by priority, row limit 50`,
      )
      .all('b-1')
      .map(({ detail }) => String(detail));
    file.close();
    // One step, by the index, and no sort behind it.
    expect(plan).toEqual([expect.stringContaining('payouts_release_order')]);
  });
});
