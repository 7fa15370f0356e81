import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import { referenceOf } from '../../src/domain/identity.ts';
import type { PayoutState } from '../../src/domain/payout-state.ts';
import type { WaitingFor } from '../../src/store/store.ts';
import { batchClaim, claimRow, payoutClaim } from './samples.ts';
import { onEveryStore } from './stores.ts';

const reference = (id: string, uid = 'user-1'): string => referenceOf(uid, id);
const EVERYBODY: WaitingFor = {
  states: ['awaiting-approval', 'awaiting-bank-approval', 'held', 'needs-operator'],
  scope: {},
  notBy: undefined,
  limit: 10,
};

onEveryStore('what waits for people', (test) => {
  async function waiting() {
    const store = await test.open();
    const rows = [
      claimRow(1, 'a'),
      claimRow(2, 'b', { currency: 'EUR' }),
      claimRow(3, 'c', { account_id: 'acc-2' }),
      claimRow(4, 'd', { uid: 'user-2' }),
      claimRow(5, 'e'),
    ];
    await store.claimBatch({ ...batchClaim('b-1', []), rows });
    const states: PayoutState[] = [
      'awaiting-approval',
      'held',
      'needs-operator',
      'awaiting-bank-approval',
      'submitting',
    ];
    for (const [n, state] of states.entries()) {
      await store.changePayout(rows[n]?.reference ?? '', { state, at: 2_000 });
    }
    await store.claimPayout(payoutClaim('single', { at: 500 }));
    await store.changePayout(reference('single'), { state: 'held', at: 3_000 });
    return store;
  }

  it('is found by state and scope, the oldest first and a batch in the order of its file', async () => {
    const store = await waiting();
    const found = (more: Partial<WaitingFor>) => store.waitingPayouts({ ...EVERYBODY, ...more });
    const all = [reference('single'), reference('a'), reference('b'), reference('c'), reference('d', 'user-2')];
    expect(await found({})).toEqual(all);
    expect(await found({ limit: 2 })).toEqual(all.slice(0, 2));
    expect(await found({ states: ['needs-operator'] })).toEqual([reference('c')]);
    expect(await found({ scope: { currencies: ['EUR'] } })).toEqual([reference('b')]);
    expect(await found({ scope: { accounts: ['acc-2'] } })).toEqual([reference('c')]);
    expect(await found({ scope: { uids: ['user-2'], currencies: ['USD'] } })).toEqual([reference('d', 'user-2')]);
    expect(await found({ scope: { uids: [] } })).toEqual([]);
    expect(await found({ states: [] })).toEqual([]);
  });

  it('leaves out what somebody has handed over, but not what needs an operator', async () => {
    const store = await waiting();
    const found = await store.waitingPayouts({ ...EVERYBODY, notBy: 'maker' });
    expect(found).toEqual([reference('single'), reference('c')]);
  });

  it('is found by its index alone, and so is the decision that was taken last', async () => {
    const store = await test.open();
    await store.claimBatch(batchClaim('b-1', ['a']));
    if (!test.url().startsWith('file:')) return;
    const file = new DatabaseSync(test.url().slice('file:'.length), { readOnly: true });
    const plan = (query: string, ...given: string[]): string[] =>
      file
        .prepare(`explain query plan ${query}`)
        .all(...given)
        .map(({ detail }) => String(detail));
    const waits =
      "coalesce(state, '') in ('awaiting-approval', 'awaiting-bank-approval', 'held', 'awaiting-funds', 'needs-operator')";
    // One step, by the index, without the table and without a sort behind it.
    expect(
      plan(
        `select reference from payouts where ${waits} and coalesce(state, '') in (?, ?) and coalesce(uid, '') in (?)
         and coalesce(account_id, '') in (?) and coalesce(currency, '') in (?)
         and (coalesce(state, '') = ? or "by" is null or "by" != ?) order by created_at, "row", reference limit 1000`,
        ...['awaiting-approval', 'held', 'user-1', 'acc-1', 'EUR', 'needs-operator', 'bob'],
      ),
    ).toEqual(['SCAN payouts USING COVERING INDEX payouts_waiting']);
    expect(plan('select taken_at from signed_decisions where id != ? order by taken_at desc limit 1', 'd-1')).toEqual([
      'SCAN signed_decisions USING COVERING INDEX signed_decisions_taken',
    ]);
    file.close();
  });
});
