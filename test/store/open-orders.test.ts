import { expect, it } from 'vitest';
import { openOrderRequest } from './samples.ts';
import { onEveryStore } from './stores.ts';

const USD = { uid: 'user-1', currency: 'USD' };
const EUR = { uid: 'user-1', currency: 'EUR' };

onEveryStore('Open orders', (test) => {
  it('hold an exchange under the currency of both sides until it is closed', async () => {
    const store = await test.open();
    await store.openOrder(openOrderRequest('fx', { currencies: ['USD', 'EUR'], at: 10_000 }));
    for (const key of [USD, EUR]) {
      expect(await store.openOrders(key)).toEqual([
        {
          ...key,
          reference: 'fx',
          workflowId: 'payout/fx',
          openedAt: 10_000,
          orderId: null,
          notifiedStatus: null,
          nextReadAt: null,
        },
      ]);
    }
    await store.closeOrder('fx');
    expect(await store.openOrders(USD)).toEqual([]);
    expect(await store.openOrders(EUR)).toEqual([]);
  });

  it('keep what is known when a reference registers again', async () => {
    const store = await test.open();
    await store.openOrder(openOrderRequest('ref', { at: 10_000 }));
    await store.noteOrder('ref', { orderId: 'o-1', nextReadAt: 90_000 });
    await store.openOrder(openOrderRequest('ref', { at: 20_000, listedSince: 10_000 }));
    expect(await store.openOrders(USD)).toMatchObject([{ openedAt: 10_000, orderId: 'o-1', nextReadAt: 90_000 }]);
  });

  it('are young again when a reference registers long after the lists have ceased to show them', async () => {
    const store = await test.open();
    await store.openOrder(openOrderRequest('ref', { at: 10_000 }));
    await store.noteOrder('ref', { orderId: 'o-1', nextReadAt: 90_000 });
    await store.openOrder(openOrderRequest('ref', { at: 20_000, listedSince: 10_001 }));
    expect(await store.openOrders(USD)).toMatchObject([{ openedAt: 20_000, orderId: 'o-1', nextReadAt: null }]);
    await store.noteOrder('ref', { nextReadAt: 95_000 });
    await store.openOrder(openOrderRequest('ref', { at: 30_000, since: 10_000, listedSince: 20_001 }));
    expect(await store.openOrders(USD)).toMatchObject([{ openedAt: 20_000, nextReadAt: 95_000 }]);
  });

  it('come oldest first and only of the key asked for', async () => {
    const store = await test.open();
    await store.openOrder(openOrderRequest('second', { at: 20_000 }));
    await store.openOrder(openOrderRequest('first', { at: 10_000 }));
    await store.openOrder(openOrderRequest('other user', { uid: 'user-2' }));
    await store.openOrder(openOrderRequest('other currency', { currencies: ['EUR'] }));
    expect((await store.openOrders(USD)).map(({ reference }) => reference)).toEqual(['first', 'second']);
  });

  it('change only what a note names, under every currency', async () => {
    const store = await test.open();
    await store.openOrder(openOrderRequest('fx', { currencies: ['USD', 'EUR'] }));
    await store.noteOrder('fx', { orderId: 'o-1', notifiedStatus: 'COMPLETED', nextReadAt: 5 });
    await store.noteOrder('fx', { nextReadAt: 9 });
    await store.noteOrder('fx', {});
    expect(await store.openOrders(USD)).toMatchObject([{ orderId: 'o-1', notifiedStatus: 'COMPLETED', nextReadAt: 9 }]);
    expect(await store.openOrders(EUR)).toMatchObject([{ orderId: 'o-1', notifiedStatus: 'COMPLETED', nextReadAt: 9 }]);
    await store.noteOrder('fx', { nextReadAt: null });
    expect(await store.openOrders(USD)).toMatchObject([{ orderId: 'o-1', nextReadAt: null }]);
  });

  it('forget a notice under every currency', async () => {
    const store = await test.open();
    await store.openOrder(openOrderRequest('fx', { currencies: ['USD', 'EUR'] }));
    await store.noteOrder('fx', { notifiedStatus: 'COMPLETED' });
    await store.noteOrder('fx', { notifiedStatus: null });
    for (const key of [USD, EUR]) expect(await store.openOrders(key)).toMatchObject([{ notifiedStatus: null }]);
  });
});
