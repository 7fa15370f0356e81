import { expect, it } from 'vitest';
import { referenceOf } from '../../src/domain/identity.ts';
import { batchClaim, claimRow } from './samples.ts';
import { onEveryStore } from './stores.ts';

const LANE = { uid: 'user-1', accountId: 'acc-1' };

const ref = (id: string): string => referenceOf('user-1', id);
const FROZEN = { code: 'account-frozen', message: 'frozen' };
const SHORT = { code: 'insufficient-funds', message: 'short' };

onEveryStore('Lanes', (test) => {
  it('pause an account that the bank refuses, and no other', async () => {
    const store = await test.open();
    await store.claimBatch({
      ...batchClaim('b-1', []),
      rows: [claimRow(1, 'a'), claimRow(2, 'b'), claimRow(3, 'c', { account_id: 'acc-2' })],
    });
    await store.changePayout(ref('a'), { state: 'held', reason: FROZEN, at: 2 });
    await store.changePayout(ref('c'), { state: 'held', reason: { code: 'fee-above-cap', message: 'fee' }, at: 2 });
    expect(await store.pausedAccounts(5)).toEqual([LANE]);
    const left = await store.releasable('b-1', 10, [LANE]);
    expect(left.map(({ documentId }) => documentId)).toEqual(['c']);
    await store.changePayout(ref('a'), { state: 'processing', reason: null, at: 3 });
    expect(await store.pausedAccounts(5)).toEqual([]);
  });

  it('pause an account once enough of its rows wait for money', async () => {
    const store = await test.open();
    await store.claimBatch(batchClaim('b-1', ['a', 'b', 'c']));
    for (const id of ['a', 'b']) await store.changePayout(ref(id), { state: 'awaiting-funds', reason: SHORT, at: 2 });
    expect(await store.pausedAccounts(3)).toEqual([]);
    expect(await store.pausedAccounts(2)).toEqual([LANE]);
  });

  it('say what earlier rows of the account wait for, whichever batch they came with', async () => {
    const store = await test.open();
    await store.claimBatch(batchClaim('b-1', ['a', 'b', 'c'], 1_000));
    await store.claimBatch(batchClaim('b-2', ['d'], 2_000));
    const needs: [string, string][] = [
      ['a', '1.00'],
      ['c', '3.00'],
      ['d', '4.00'],
    ];
    for (const [id, fundsNeeded] of needs) {
      await store.changePayout(ref(id), { state: 'awaiting-funds', reason: SHORT, fundsNeeded, at: 3 });
    }
    const ahead = async (id: string) => (await store.fundsNeededAhead(ref(id))).toSorted();
    expect(await ahead('a')).toEqual([]);
    expect(await ahead('c')).toEqual(['1.00']);
    expect(await ahead('d')).toEqual(['1.00', '3.00']);
    await store.changePayout(ref('a'), { state: 'processing', reason: null, at: 4 });
    expect(await ahead('d')).toEqual(['3.00']);
  });

  it('remember that a user has an order twice while an operator investigates it', async () => {
    const store = await test.open();
    await store.claimBatch(batchClaim('b-1', ['a']));
    expect(await store.hasSuspectedDuplicate('user-1')).toBe(false);
    const reason = { code: 'duplicate-suspected', message: 'two' };
    await store.changePayout(ref('a'), { state: 'needs-operator', reason, at: 2 });
    expect(await store.hasSuspectedDuplicate('user-1')).toBe(true);
    expect(await store.hasSuspectedDuplicate('user-2')).toBe(false);
    await store.changePayout(ref('a'), { state: 'completed', reason: null, at: 3 });
    expect(await store.hasSuspectedDuplicate('user-1')).toBe(false);
    await store.recordIncident({ reference: ref('a'), orderId: 'o-2', kind: 'second-order', seenAt: 4 });
    expect(await store.hasSuspectedDuplicate('user-1')).toBe(true);
  });
});
