import { expect, it } from 'vitest';
import { documentIds, openOrderRequest } from './samples.ts';
import { onEveryStore } from './stores.ts';

const USD = { uid: 'user-1', currency: 'USD' };
const EUR = { uid: 'user-1', currency: 'EUR' };

onEveryStore('Watches', (test) => {
  it('are asked for by the first payout and not by those that follow within the lease', async () => {
    const store = await test.open();
    expect(await store.openOrder(openOrderRequest('a', { at: 10_000, watchAliveSince: 9_000 }))).toEqual([USD]);
    expect(await store.openOrder(openOrderRequest('b', { at: 10_500, watchAliveSince: 9_500 }))).toEqual([]);
  });

  it('are asked for once by many payouts at the same time', async () => {
    const stores = await Promise.all([test.open(), test.open()]);
    const asleep = await Promise.all(
      documentIds(50).map((id, index) => stores[index % 2]?.openOrder(openOrderRequest(id))),
    );
    expect(asleep.flat()).toEqual([USD]);
    expect(await stores[0]?.openOrders(USD)).toHaveLength(50);
  });

  it('are asked for again once they have not polled for the lease', async () => {
    const store = await test.open();
    await store.touchWatch(USD, 5_000);
    expect(await store.openOrder(openOrderRequest('a', { at: 6_000, watchAliveSince: 5_000 }))).toEqual([]);
    expect(await store.openOrder(openOrderRequest('b', { at: 7_000, watchAliveSince: 5_001 }))).toEqual([USD]);
  });

  it('are asked for one by one where an exchange has one live side', async () => {
    const store = await test.open();
    await store.touchWatch(EUR, 9_900);
    expect(await store.openOrder(openOrderRequest('fx', { currencies: ['USD', 'EUR'] }))).toEqual([USD]);
  });

  it('go on while an order is open, and end with the last one', async () => {
    const store = await test.open();
    await store.openOrder(openOrderRequest('a'));
    await store.touchWatch(USD, 11_000);
    expect(await store.endWatch(USD)).toBe(false);
    await store.closeOrder('a');
    expect(await store.endWatch(USD)).toBe(true);
    expect(await store.openOrder(openOrderRequest('b', { at: 11_001, watchAliveSince: 0 }))).toEqual([USD]);
  });

  it('end without ever having been seen when nothing is open', async () => {
    const store = await test.open();
    expect(await store.endWatch(USD)).toBe(true);
  });

  it('never miss a payout that registers while they end', async () => {
    const [watch, payouts] = [await test.open(), await test.open()];
    for (const id of documentIds(60)) {
      await watch.touchWatch(USD, 10_000);
      const [ended, asleep] = await Promise.all([watch.endWatch(USD), payouts.openOrder(openOrderRequest(id))]);
      // Either the watch goes on, or the payout is asked to wake one; both is one needless signal.
      expect(ended ? asleep : 'goes on').toEqual(ended ? [USD] : 'goes on');
      await payouts.closeOrder(id);
    }
  });

  it('are neglected when orders are open and nobody has polled since', async () => {
    const store = await test.open();
    await store.openOrder(openOrderRequest('a', { at: 10_000 }));
    await store.openOrder(openOrderRequest('b', { at: 10_000 }));
    await store.openOrder(openOrderRequest('c', { at: 10_000, currencies: ['EUR'] }));
    await store.touchWatch(EUR, 20_000);
    const neglected = (watchAliveSince: number) => store.neglectedWatches({ at: 20_000, watchAliveSince });
    expect(await neglected(10_000)).toEqual([]);
    expect(await neglected(15_000)).toEqual([USD]);
    await store.closeOrder('a');
    await store.closeOrder('b');
    expect(await neglected(15_000)).toEqual([]);
  });

  it('are neglected when a clock that was ahead has said that they polled', async () => {
    const store = await test.open();
    await store.openOrder(openOrderRequest('a', { at: 86_400_000 }));
    const now = { at: 20_000, watchAliveSince: 15_000 };
    expect(await store.neglectedWatches(now)).toEqual([USD]);
    expect(await store.openOrder(openOrderRequest('b', now))).toEqual([USD]);
    expect(await store.neglectedWatches(now)).toEqual([]);
  });
});
