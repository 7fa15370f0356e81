import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import { referenceOf } from '../../src/domain/identity.ts';
import { batchClaim, claimRow, payoutClaim } from './samples.ts';
import { onEveryStore } from './stores.ts';

onEveryStore('what was paid', (test) => {
  async function paid() {
    const store = await test.open();
    const rows = [claimRow(1, 'a'), claimRow(2, 'b', { currency: 'EUR' }), claimRow(3, 'c'), claimRow(4, 'd')];
    await store.claimBatch({ ...batchClaim('b-1', []), rows });
    for (const [n, id] of ['a', 'b', 'c'].entries()) {
      await store.changePayout(referenceOf('user-1', id), { state: 'completed', at: 5_000 - n * 1_000 });
    }
    await store.changePayout(referenceOf('user-1', 'd'), { state: 'held', at: 2_000 });
    return store;
  }

  it('is read by the time of its end, the oldest first, within a scope', async () => {
    const store = await paid();
    const read = (seenBy?: Parameters<typeof store.paidAmounts>[0]['seenBy'], limit = 9) =>
      store.paidAmounts({ from: 4_000, before: 5_001, seenBy }, limit);
    const all = [
      { endedAt: 4_000, currency: 'EUR', amount: '10.50' },
      { endedAt: 5_000, currency: 'USD', amount: '10.50' },
    ];
    expect(await read()).toEqual(all);
    expect(await read(undefined, 1)).toEqual(all.slice(0, 1));
    expect(await read({ name: 'maker', scopes: [] })).toEqual(all);
    expect(await read({ name: 'bob', scopes: [] })).toEqual([]);
    expect(await read({ name: 'bob', scopes: [{ currencies: ['EUR'] }] })).toEqual(all.slice(0, 1));
    expect(await read({ name: 'bob', scopes: [{ accounts: ['acc-2'] }] })).toEqual([]);
  });

  it('is less what came back, and nothing if all of it did', async () => {
    const store = await paid();
    const back = (id: string, amount: string, currency: string) =>
      store.recordReturn({ orderId: `o-${id}`, reference: referenceOf('user-1', id), amount, currency, seenAt: 6_000 });
    await back('a', '4.00', 'USD');
    await back('b', '10.50', 'EUR');
    expect(await store.paidAmounts({ from: 4_000, before: 5_001, seenBy: undefined }, 9)).toEqual([
      { endedAt: 5_000, currency: 'USD', amount: '6.50' },
    ]);
  });

  it('tells how long payouts of a currency and payment type took since their first send', async () => {
    const store = await test.open();
    const typed = { payment_type: 'sepa', currency: 'EUR' };
    const rows = [claimRow(1, 'a', typed), claimRow(2, 'b', typed), claimRow(3, 'c', { currency: 'EUR' })];
    await store.claimBatch({ ...batchClaim('b-1', []), rows });
    for (const row of rows) {
      const { reference } = row;
      const { record } = await store.claimPayout({ ...payoutClaim(row.instruction.id), ...row });
      const claim = { reference, term: record.term };
      const its = { reference, runId: 'run-1', claim };
      await store.recordAttempt({ ...its, attempt: 1, activityId: '1', sentAt: 3_000 });
      // Nothing of the first one of b left.
      const outcome = row === rows[1] ? 'not-sent' : 'ambiguous';
      await store.finishAttempt(reference, 1, { outcome, at: 3_500 });
      await store.recordAttempt({ ...its, attempt: 2, activityId: '2', sentAt: 4_000 });
      await store.changePayout(reference, { state: 'completed', at: 9_000 });
    }
    const times = async (paymentType: string | undefined, since = 0) =>
      (await store.settlingTimes({ currency: 'EUR', paymentType, since })).sort((a, b) => a - b);
    expect(await times('sepa')).toEqual([5_000, 6_000]);
    expect(await times(undefined)).toEqual([6_000]);
    expect(await times('swift')).toEqual([]);
    expect(await times('sepa', 9_001)).toEqual([]);
  });

  it('leaves what is open, by state and age', async () => {
    const store = await paid();
    await store.claimBatch(batchClaim('b-2', ['e', 'f'], 9_000));
    const counts = await store.openCounts([8_000, 1_001], undefined);
    expect(counts.sort((a, b) => a.age - b.age)).toEqual([
      { state: 'received', age: 0, count: 2 },
      { state: 'held', age: 2, count: 1 },
    ]);
    expect(await store.openCounts([8_000], { name: 'bob', scopes: [{ uids: ['other'] }] })).toEqual([]);
  });

  it('is read from its index alone', async () => {
    await paid();
    if (!test.url().startsWith('file:')) return;
    const file = new DatabaseSync(test.url().slice('file:'.length), { readOnly: true });
    const plan = file
      .prepare(
        `explain query plan select ended_at, currency, amount from payouts
         where coalesce(state, '') = 'completed' and ended_at >= 1 and ended_at < 9 and kind = 'payout' order by ended_at`,
      )
      .all()
      .map(({ detail }) => `${detail}`);
    file.close();
    expect(plan).toEqual([expect.stringContaining('USING COVERING INDEX payouts_paid')]);
  });
});
