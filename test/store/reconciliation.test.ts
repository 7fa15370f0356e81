import { expect, it } from 'vitest';
import { referenceOf } from '../../src/domain/identity.ts';
import type { Store, WatchKey } from '../../src/store/store.ts';
import { batchClaim, claimRow, documentIds, payoutClaim, SENT_PAYMENT } from './samples.ts';
import { onEveryStore } from './stores.ts';

const claimed = async (store: Store, id: string, uid: string, currency: string, at: number): Promise<string> => {
  const row = claimRow(1, id, { uid, currency });
  await store.claimPayout({ ...payoutClaim(id), ...row, at });
  return row.reference;
};

onEveryStore('Reconciliation', (test) => {
  it('reads payouts under many references, the unknown ones left out', async () => {
    const store = await test.open();
    const claim = batchClaim('b', documentIds(1_500));
    await store.claimBatch(claim);
    const references = claim.rows.map(({ reference }) => reference);
    const found = await store.payoutsOf([...references, 'unknown']);
    expect(new Set(found.map(({ reference }) => reference))).toEqual(new Set(references));
    expect(await store.payoutsOf([])).toEqual([]);
  });

  it('finds payouts by the ids of their orders', async () => {
    const store = await test.open();
    const { rows } = batchClaim('b', ['a', 'b', 'c']);
    await store.claimBatch({ ...batchClaim('b', []), rows });
    const [first, second] = rows.map(({ reference }) => reference) as [string, string];
    await store.changePayout(first, { state: 'processing', orderId: 'o-1', at: 2_000 });
    await store.changePayout(second, { state: 'completed', orderId: 'o-2', at: 2_000 });
    const found = await store.payoutsOfOrders(['o-2', 'o-1', ...documentIds(1_500, 'unknown')]);
    expect(new Set(found.map(({ reference }) => reference))).toEqual(new Set([first, second]));
    expect(await store.payoutsOfOrders([])).toEqual([]);
  });

  it('reads attempts under many references', async () => {
    const store = await test.open();
    const sent = { attempt: 1, runId: 'r', activityId: 'a', sentAt: 5 };
    for (const reference of ['x', 'y', 'z']) await store.recordAttempt({ reference, ...sent });
    const many = documentIds(1_500, 'none');
    expect((await store.attemptsOf(['x', ...many, 'z'])).map(({ reference }) => reference)).toEqual(['x', 'z']);
    expect(await store.attemptsOf([])).toEqual([]);
  });

  it('names every key with payouts that have changed since, with the creation of the oldest of them', async () => {
    const store = await test.open();
    await claimed(store, 'a', 'u-1', 'USD', 1_000);
    await claimed(store, 'b', 'u-1', 'USD', 3_000);
    await claimed(store, 'c', 'u-1', 'EUR', 2_000);
    await claimed(store, 'd', 'u-2', 'USD', 2_500);
    await claimed(store, 'old', 'u-3', 'USD', 500);
    const page = { after: null, limit: 10 };
    expect(await store.reconciliationKeys(2_000, page)).toEqual([
      { uid: 'u-1', currency: 'EUR', since: 2_000 },
      { uid: 'u-1', currency: 'USD', since: 3_000 },
      { uid: 'u-2', currency: 'USD', since: 2_500 },
    ]);
    // A payout that was made long ago and ended lately is as young as its end.
    const late = referenceOf('u-3', 'old');
    await store.changePayout(late, { state: 'completed', orderId: 'o', at: 4_000 });
    expect(await store.reconciliationKeys(4_000, page)).toEqual([{ uid: 'u-3', currency: 'USD', since: 500 }]);
  });

  it('goes through the keys page by page', async () => {
    const store = await test.open();
    for (const uid of ['u-1', 'u-2'])
      for (const currency of ['EUR', 'GBP', 'USD']) await claimed(store, currency, uid, currency, 1_000);
    const seen: WatchKey[] = [];
    for (let after: WatchKey | null = null; ; ) {
      const keys = await store.reconciliationKeys(0, { after, limit: 2 });
      if (keys.length === 0) break;
      seen.push(...keys);
      after = keys.at(-1) ?? null;
    }
    expect(seen.map(({ uid, currency }) => `${uid} ${currency}`)).toEqual([
      'u-1 EUR',
      'u-1 GBP',
      'u-1 USD',
      'u-2 EUR',
      'u-2 GBP',
      'u-2 USD',
    ]);
  });

  it('names the currency that an exchange sold, for a batch too', async () => {
    const store = await test.open();
    const claim = batchClaim('b', ['a']);
    await store.claimBatch(claim);
    const [{ reference } = { reference: '' }] = claim.rows;
    await store.markReleased([reference], 1_500);
    const { record } = await store.claimPayout(payoutClaim('a', { runId: 'r', at: 1_600 }));
    const { term } = record;
    const request = {
      ...{ sellAccountId: 'acc-1', buyAccountId: 'acc-2', amount: '10.50', currency: 'USD', expiredAt: 9 },
      ...{ sellCurrency: 'EUR', quotedSellAmount: '9.80' },
    };
    const attempt = { reference: referenceOf('user-1', 'a', 'exchange'), attempt: 1, runId: 'r', activityId: 'a' };
    await store.recordAttempt({ ...attempt, sentAt: 2_000, request, claim: { reference, term } });
    expect(await store.reconciliationKeys(2_000, { after: null, limit: 10 })).toEqual([
      { uid: 'user-1', currency: 'EUR', since: 1_000 },
      { uid: 'user-1', currency: 'USD', since: 1_000 },
    ]);
    expect(
      await store.reconciliationKeys(2_000, { after: { uid: 'user-1', currency: 'EUR' }, limit: 10 }),
    ).toHaveLength(1);
    expect(await store.batchKeys('b')).toEqual([
      { uid: 'user-1', currency: 'EUR' },
      { uid: 'user-1', currency: 'USD' },
    ]);
    // Of a payment only its own currency is compared.
    const paid = { ...SENT_PAYMENT, accountId: 'acc-2', beneficiaryId: 'b' };
    await store.recordAttempt({ ...attempt, reference, sentAt: 3_000, request: paid, claim: { reference, term } });
    expect(await store.batchKeys('b')).toHaveLength(2);
  });

  it('names the documents of a user that have changed since', async () => {
    const store = await test.open();
    const reference = await claimed(store, 'a', 'u-1', 'USD', 2_000);
    await claimed(store, 'b', 'u-1', 'USD', 1_000);
    await claimed(store, 'c', 'u-2', 'USD', 2_000);
    expect(await store.documentsOf('u-1', 2_000)).toEqual([{ reference, documentId: 'a', generation: 0 }]);
  });

  it('names the keys of the rows that a batch has released', async () => {
    const store = await test.open();
    const claim = batchClaim('b', ['a', 'b', 'c']);
    const rows = [
      claimRow(1, 'a'),
      claimRow(2, 'b'),
      claimRow(3, 'c', { currency: 'EUR' }),
      claimRow(4, 'd', { currency: 'GBP' }),
    ];
    await store.claimBatch({ ...claim, rows });
    await store.markReleased(
      rows.slice(0, 3).map(({ reference }) => reference),
      2_000,
    );
    expect(await store.batchKeys('b')).toEqual([
      { uid: 'user-1', currency: 'EUR' },
      { uid: 'user-1', currency: 'USD' },
    ]);
  });
});
