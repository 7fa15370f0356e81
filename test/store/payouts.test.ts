import { expect, it } from 'vitest';
import { END_STATES, PAYOUT_STATES } from '../../src/domain/payout-state.ts';
import { batchClaim, claimRow, documentIds, payoutClaim } from './samples.ts';
import { onEveryStore } from './stores.ts';

const HELD = { code: 'account-frozen', message: 'the bank reports the account as frozen' };

onEveryStore('changePayout', (test) => {
  it('keeps what a change does not name', async () => {
    const store = await test.open();
    const { reference } = (await store.claimPayout(payoutClaim('a'))).record;
    await store.changePayout(reference, {
      state: 'held',
      reason: HELD,
      orderId: 'o-1',
      fee: '1.20',
      feeCurrency: 'USD',
      at: 3_000,
    });
    expect(await store.changePayout(reference, { state: 'processing', at: 4_000 })).toBe(true);
    expect(await store.payout(reference)).toMatchObject({
      state: 'processing',
      reason: HELD,
      orderId: 'o-1',
      fee: '1.20',
      feeCurrency: 'USD',
      updatedAt: 4_000,
      endedAt: null,
    });
  });

  it('writes no column that a change may not name, in any spelling', async () => {
    const store = await test.open();
    const { reference } = (await store.claimPayout(payoutClaim('a'))).record;
    const before = await store.payout(reference);
    const others = {
      assessed: '{}',
      Assessed: '{}',
      instruction: '{}',
      by: 'carol',
      term: undefined,
      claim_run_id: 'x',
    };
    await store.changePayout(reference, { ...others, state: 'submitting', at: 3_000 } as never);
    expect(await store.payout(reference)).toEqual({
      ...before,
      state: 'submitting',
      updatedAt: 3_000,
      stateSince: 3_000,
    });
  });

  it('dates a state from when it or its reason was entered, however often it is checked', async () => {
    const store = await test.open();
    await store.claimBatch(batchClaim('b1', ['a'], 1_000));
    const { reference } = (await store.claimPayout(payoutClaim('a', { at: 2_000 }))).record;
    const since = async () => (await store.payout(reference))?.stateSince;
    expect(await since()).toBe(2_000);
    for (const at of [3_000, 4_000]) await store.changePayout(reference, { state: 'held', reason: HELD, at });
    expect(await store.payout(reference)).toMatchObject({ stateSince: 3_000, updatedAt: 4_000 });
    await store.claimPayout(payoutClaim('a', { runId: 'later', at: 5_000 }));
    await store.changePayout(reference, { state: 'held', reason: { ...HELD, message: 'again' }, at: 5_000 });
    expect(await since()).toBe(3_000);
    await store.changePayout(reference, { state: 'held', reason: { code: 'look-alike', message: '' }, at: 6_000 });
    expect(await since()).toBe(6_000);
    await store.changePayout(reference, { state: 'processing', reason: null, at: 7_000 });
    expect(await since()).toBe(7_000);
    await store.changePayout(reference, { state: 'completed', at: 8_000 });
    expect(await since()).toBe(8_000);
  });

  it('clears the reason on request', async () => {
    const store = await test.open();
    const { reference } = (await store.claimPayout(payoutClaim('a'))).record;
    await store.changePayout(reference, { state: 'needs-operator', reason: HELD, at: 3_000 });
    await store.changePayout(reference, { state: 'processing', reason: null, at: 4_000 });
    expect((await store.payout(reference))?.reason).toBeNull();
  });

  it.each(END_STATES)('never leaves the end %s', async (end) => {
    const store = await test.open();
    const { reference } = (await store.claimPayout(payoutClaim('a'))).record;
    expect(await store.changePayout(reference, { state: end, at: 3_000 })).toBe(true);
    const ended = await store.payout(reference);
    expect(ended).toMatchObject({ state: end, endedAt: 3_000, updatedAt: 3_000 });
    for (const state of PAYOUT_STATES) {
      expect(await store.changePayout(reference, { state, reason: HELD, orderId: 'other', at: 9_000 })).toBe(false);
    }
    expect(await store.payout(reference)).toEqual(ended);
  });

  it('lets one of two ends win at the same time', async () => {
    const [first, second] = [await test.open(), await test.open()];
    for (const id of documentIds(10)) {
      const { reference } = (await first.claimPayout(payoutClaim(id))).record;
      const changed = await Promise.all([
        first.changePayout(reference, { state: 'completed', at: 3_000 }),
        second.changePayout(reference, { state: 'failed', at: 3_000 }),
      ]);
      expect(changed.toSorted()).toEqual([false, true]);
    }
  });

  it('answers false for a reference nobody has claimed', async () => {
    const store = await test.open();
    expect(await store.changePayout('nobody', { state: 'held', at: 1 })).toBe(false);
    expect(await store.payout('nobody')).toBeUndefined();
  });
});

onEveryStore('findPayouts', (test) => {
  it('finds a payout by batch, reference, workflow, order and document', async () => {
    const store = await test.open();
    await store.claimBatch(batchClaim('b1', ['a', 'b']));
    const { reference, workflowId } = claimRow(2, 'b');
    await store.changePayout(reference, { state: 'processing', orderId: 'o-1', at: 2_000 });
    for (const id of [reference, workflowId, 'o-1', 'b']) {
      expect((await store.findPayouts(id, 10)).map((found) => found.reference)).toEqual([reference]);
    }
    expect((await store.findPayouts('b1', 10)).map(({ row }) => row)).toEqual([1, 2]);
    expect(await store.findPayouts('unknown', 10)).toEqual([]);
  });

  it('returns every payout of an ambiguous document id, oldest first, up to the limit', async () => {
    const store = await test.open();
    const rows = [claimRow(1, 'same', { uid: 'user-2' })];
    await store.claimBatch({ ...batchClaim('late', []), rows, at: 5_000 });
    await store.claimBatch({ ...batchClaim('early', ['same']), at: 1_000 });
    expect((await store.findPayouts('same', 10)).map(({ batchId }) => batchId)).toEqual(['early', 'late']);
    expect(await store.findPayouts('same', 1)).toHaveLength(1);
  });
});
