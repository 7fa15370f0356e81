import { expect, it } from 'vitest';
import type { ShownState } from '../../src/domain/payout-state.ts';
import { batchClaim } from './samples.ts';
import { onEveryStore } from './stores.ts';

const RETURN = { orderId: 'o-1', reference: 'ref', amount: '10.50', currency: 'USD', seenAt: 2_000 };

onEveryStore('Facts', (test) => {
  it('record a return once', async () => {
    const store = await test.open();
    expect(await store.recordReturn(RETURN)).toEqual({ orderId: 'o-1', isNew: true });
    expect(await store.recordReturn({ ...RETURN, seenAt: 9_000 })).toEqual({ orderId: 'o-1', isNew: false });
    expect(await store.returnsOf(['ref'])).toEqual([expect.objectContaining(RETURN)]);
  });

  it.each(['orders', 'statement'] as const)('record once what comes on a statement too (first: %s)', async (first) => {
    const store = await test.open();
    const second = first === 'orders' ? ('statement' as const) : ('orders' as const);
    const reason = { reasonCode: 'AC04' };
    for (const orderId of ['a-1', 'a-2'])
      expect(await store.recordReturn({ ...RETURN, orderId, shownBy: first })).toMatchObject({ isNew: true });
    for (const [orderId, kept] of [
      ['b-1', 'a-1'],
      ['b-2', 'a-2'],
      ['b-1', 'a-1'],
    ] as const) {
      const seen = { ...RETURN, ...reason, orderId, shownBy: second };
      expect(await store.recordReturn(seen)).toEqual({ orderId: kept, isNew: false });
    }
    expect(await store.recordReturn({ ...RETURN, orderId: 'b-3', shownBy: second })).toMatchObject({ isNew: true });
    expect(await store.returnsOf(['ref'])).toMatchObject([
      { orderId: 'a-1', otherId: 'b-1', ...reason },
      { orderId: 'a-2', otherId: 'b-2', ...reason },
      { orderId: 'b-3', otherId: null },
    ]);
  });

  it('list a payout under the state that its returns give it', async () => {
    const store = await test.open();
    const claim = batchClaim('b-1', ['whole', 'part', 'none']);
    await store.claimBatch(claim);
    const [whole = '', part = '', none = ''] = claim.rows.map(({ reference }) => reference);
    for (const reference of [whole, part, none]) {
      await store.changePayout(reference, { state: 'completed', orderId: `o-${reference}`, at: 2_000 });
    }
    const back = (reference: string, amount: string) =>
      store.recordReturn({ ...RETURN, orderId: `r-${amount}`, reference, amount });
    await back(part, '0.50');
    await back(whole, '4.00');
    expect(await store.payout(whole)).toMatchObject({ cameBack: { amount: '4.00', left: '6.50', currency: 'USD' } });
    await back(whole, '6.50');
    const shown = async (states: readonly ShownState[]) =>
      (await store.searchPayouts({ states }, { limit: 9 })).map(({ reference }) => reference).sort();
    expect(await shown(['returned'])).toEqual([whole]);
    expect(await shown(['completed'])).toEqual([part, none].sort());
    expect(await shown(['completed', 'returned'])).toEqual([whole, part, none].sort());
    expect(await shown(['failed', 'returned'])).toEqual([whole]);
    expect(await store.searchPayouts({ reason: 'partly-returned' }, { limit: 9 })).toMatchObject([{ reference: part }]);
    expect(await store.stateCounts('b-1')).toEqual(
      new Map([
        ['completed', 2],
        ['returned', 1],
      ]),
    );
    expect((await store.rows('b-1').next()).value).toMatchObject({ state: 'completed', cameBack: { left: '0.00' } });
  });

  it('count a return that one source shows before a fee and the other after it once, with what certainly came back', async () => {
    const store = await test.open();
    const claim = batchClaim('b-1', ['part']);
    await store.claimBatch(claim);
    const [reference = ''] = claim.rows.map((row) => row.reference);
    await store.changePayout(reference, { state: 'completed', orderId: 'o-paid', at: 2_000 });
    const back = (orderId: string, amount: string, shownBy: 'orders' | 'statement') =>
      store.recordReturn({ ...RETURN, orderId, reference, amount, shownBy });
    await back('o-0', '2.00', 'orders');
    expect(await back('o-1', '-4.00', 'orders')).toMatchObject({ isNew: true });
    for (let time = 0; time < 2; time += 1) {
      expect(await back('s-1', '3.90', 'statement')).toEqual({ orderId: 'o-1', isNew: false });
      expect(await store.payout(reference)).toMatchObject({ cameBack: { amount: '5.90', left: '4.60' } });
    }
    expect(await back('s-2', '3.90', 'statement')).toMatchObject({ isNew: true });
    expect(await store.payout(reference)).toMatchObject({ cameBack: { amount: '9.80', left: '0.70' } });
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
