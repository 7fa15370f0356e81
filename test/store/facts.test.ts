import { expect, it } from 'vitest';
import { onEveryStore } from './stores.ts';

const RETURN = { orderId: 'o-1', reference: 'ref', amount: '10.50', currency: 'USD', seenAt: 2_000 };

onEveryStore('Facts', (test) => {
  it('record a return once', async () => {
    const store = await test.open();
    expect(await store.recordReturn(RETURN)).toBe(true);
    expect(await store.recordReturn({ ...RETURN, seenAt: 9_000 })).toBe(false);
    expect(await store.returnsOf(['ref'])).toEqual([RETURN]);
  });

  it('list the returns of the references asked for, oldest first', async () => {
    const store = await test.open();
    await store.recordReturn(RETURN);
    await store.recordReturn({ ...RETURN, orderId: 'o-2', seenAt: 1_000 });
    await store.recordReturn({ ...RETURN, orderId: 'o-3', reference: 'other' });
    expect((await store.returnsOf(['ref', 'without'])).map(({ orderId }) => orderId)).toEqual(['o-2', 'o-1']);
    expect(await store.returnsOf([])).toEqual([]);
  });

  it('keep the first reading of a booked exchange', async () => {
    const store = await test.open();
    const sold = { soldAmount: '1085.20', soldCurrency: 'USD' };
    const exchange = { reference: 'ref', orderId: 'o-1', ...sold, boughtAmount: '1000.00', boughtCurrency: 'EUR' };
    const booked = { ...exchange, rate: '0.92', fee: null, feeCurrency: null, seenAt: 1_000 };
    await store.recordBookedExchange(booked);
    await store.recordBookedExchange({ ...booked, soldAmount: '9.00', seenAt: 9_000 });
    expect(await store.bookedExchangesOf(['ref', 'without'])).toEqual([booked]);
    expect(await store.bookedExchangesOf([])).toEqual([]);
  });

  it('keep each difference that people accepted once', async () => {
    const store = await test.open();
    const accepted = { reference: 'ref', orderId: 'o-1', field: 'transaction_amount', shown: '120.00' };
    await store.acceptDifferences([]);
    await store.acceptDifferences([accepted]);
    await store.acceptDifferences([accepted, { ...accepted, reference: 'other' }]);
    expect(await store.acceptedDifferencesOf(['ref', 'without'])).toEqual([accepted]);
    expect(await store.acceptedDifferencesOf([])).toEqual([]);
  });

  it('record orders that nobody asked for, each once', async () => {
    const store = await test.open();
    const order = {
      orderId: 'o-9',
      uid: 'user-1',
      currency: 'USD',
      clientOrderId: null,
      stem: '',
      shown: null,
      seenAt: 1_000,
    };
    expect(await store.recordUnaskedOrders([])).toBe(0);
    expect(await store.recordUnaskedOrders([order])).toBe(1);
    const seen = [{ ...order, clientOrderId: 'late' }, ...['o-10', 'o-11'].map((orderId) => ({ ...order, orderId }))];
    expect(await store.recordUnaskedOrders(seen)).toBe(2);
    expect(await store.recordUnaskedOrders(seen)).toBe(0);
  });
});
