import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import { referenceOf } from '../../src/domain/identity.ts';
import { batchClaim, claimRow } from './samples.ts';
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
