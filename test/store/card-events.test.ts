import { setImmediate } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { cardClaim, cardEvent } from './card-samples.ts';
import { documentIds } from './samples.ts';
import { onEveryStore } from './stores.ts';

const DELIVERED = { merchantRequestId: 'm-1', effect: 'delivered', at: 3_000 } as const;

onEveryStore('Card events', (test) => {
  it('are new once, by receipt and by what they say', async () => {
    const { cards } = await test.open();
    expect(await cards.receive(cardEvent('p-1'))).toBe('new');
    expect(await cards.receive(cardEvent('p-1', { receiptId: 'another' }))).toBe('known');
    expect(await cards.receive(cardEvent('p-2', { receiptId: 'verified/p-1/SUCCEEDED' }))).toBe('known');
    expect(await cards.receive(cardEvent('p-1', { status: 'FAILED' }))).toBe('new');
    expect(await cards.receive(cardEvent('p-1', { kind: 'completion', receiptId: 'c' }))).toBe('new');
    expect(await cards.undelivered(false, 10)).toHaveLength(3);
  });

  it.each(['under one receipt', 'under several'])(
    'are new once when they come eight times at once %s',
    async (under) => {
      const stores = await Promise.all([test.open(), test.open()]);
      for (const id of documentIds(20)) {
        const receipts = Array.from({ length: 8 }, (_, n) => (under === 'under one receipt' ? id : `${id}/${n}`));
        const taken = await Promise.all(
          receipts.map((receiptId, n) => stores[n % 2]?.cards.receive(cardEvent(id, { receiptId }))),
        );
        expect(taken.filter((it) => it === 'new')).toHaveLength(1);
      }
    },
  );

  it('are taken many at once, each for itself', async () => {
    const { cards } = await test.open();
    await cards.receive(cardEvent('doc-7'));
    const taken = await Promise.all(documentIds(1_200).map((id) => cards.receive(cardEvent(id))));
    expect(taken.flatMap((it, n) => (it === 'known' ? n : []))).toEqual([6]);
    expect(await cards.undelivered(false, 2_000)).toHaveLength(1_200);
  });

  it('are believed from the first verified one on, and then have their effect again', async () => {
    const { cards } = await test.open();
    const hint = cardEvent('p-1', { trust: 'hint', merchantRequestId: 'm-9' });
    expect(await cards.receive(hint)).toBe('new');
    expect(await cards.receive(hint)).toBe('known');
    await cards.recordEventEffect(hint, { ...DELIVERED, merchantRequestId: 'm-9' });
    const verified = cardEvent('p-1', { merchantRequestId: 'm-1', receivedAt: 5_000 });
    const taken = await Promise.all([1, 2, 3].map((n) => cards.receive({ ...verified, receiptId: `v-${n}` })));
    expect(taken.sort()).toEqual(['known', 'known', 'new']);
    expect(await cards.receive(hint)).toBe('known');
    expect(await cards.eventsOf('m-9')).toEqual([]);
    expect(await cards.undelivered(true, 10)).toMatchObject([
      { trust: 'verified', merchantRequestId: 'm-1', effect: null, deliveredAt: null, receivedAt: 5_000 },
    ]);
  });

  it('that nobody has verified have their effect again when they come again after a while', async () => {
    const { cards } = await test.open();
    const hint = cardEvent('p-1', { trust: 'hint', merchantRequestId: 'm-1', receivedAt: 1_000 });
    await cards.receive(hint);
    const later = { ...hint, receivedAt: 60_000 };
    expect(await cards.receive({ ...later, receiptId: 'again-1' })).toBe('known');
    await cards.recordEventEffect(hint, DELIVERED);
    expect(await cards.receive({ ...hint, receiptId: 'again-2' })).toBe('known');
    expect(await cards.receive({ ...later, receiptId: 'again-3' })).toBe('new');
    expect(await cards.undelivered(true, 10)).toMatchObject([{ trust: 'hint', effect: null, receivedAt: 60_000 }]);
  });

  it('that say another sum for the same status have their effect again, with both sums', async () => {
    const { cards } = await test.open();
    const sums = ['49.90', '49.9', '4.99', '4.99', '49.90'].map((amount) => ({ amount, currency: 'EUR' }));
    const first = cardEvent('p-1', { merchantRequestId: 'm-1', ...sums[0] });
    const taken: string[] = [];
    for (const [n, sum] of sums.entries()) {
      const receivedAt = 2_000 + n;
      taken.push(await cards.receive({ ...first, ...sum, receiptId: `r-${n}`, receivedAt }));
      if (n === 0) await cards.recordEventEffect(first, DELIVERED);
    }
    expect(taken).toEqual(['new', 'known', 'new', 'known', 'known']);
    // The first one, delivered meanwhile by somebody else, does not count for both.
    await cards.recordEventEffect(first, DELIVERED);
    const both = { amount: '49.90 / 4.99', currency: 'EUR', effect: null, receiptId: 'r-0', receivedAt: 2_002 };
    expect(await cards.undelivered(true, 10)).toMatchObject([both]);
    await cards.recordEventEffect({ ...first, ...both }, DELIVERED);
    expect(await cards.undelivered(true, 10)).toEqual([]);
  });

  it('that say other sums at the same time lose none of two', async () => {
    const stores = [await test.open(), await test.open()];
    for (const id of documentIds(50)) {
      await stores[0]?.cards.receive(cardEvent(id));
      const said = ['49.90', '4.99'].map((amount, n) =>
        stores[n]?.cards.receive(cardEvent(id, { amount, receiptId: `${id}/${n}` })),
      );
      await Promise.all(said);
      const event = (await stores[0]?.cards.linkPayment(id, `m-${id}`, 3_000))?.[0];
      expect(event?.amount?.split(' / ').sort()).toEqual(['4.99', '49.90']);
    }
  });

  it('do not replace a hint under the receipt of another event', async () => {
    const { cards } = await test.open();
    await cards.receive(cardEvent('p-1', { trust: 'hint' }));
    await cards.receive(cardEvent('p-2', { receiptId: 'r' }));
    expect(await cards.receive(cardEvent('p-1', { receiptId: 'r' }))).toBe('known');
  });

  it('belong to the intent their payment is linked to, not the one they name', async () => {
    const { cards } = await test.open();
    await cards.receive(cardEvent('p-1', { merchantRequestId: 'm-2' }));
    await cards.receive(cardEvent('p-2', { merchantRequestId: 'm-1', receivedAt: 2_001 }));
    await cards.receive(cardEvent('p-3'));
    expect(await cards.linkPayment('p-1', 'm-1', 3_000)).toEqual([
      {
        kind: 'status',
        paymentId: 'p-1',
        status: 'SUCCEEDED',
        trust: 'verified',
        receivedAt: 2_000,
        amount: null,
        currency: null,
      },
    ]);
    expect((await cards.eventsOf('m-1')).map(({ paymentId }) => paymentId)).toEqual(['p-1', 'p-2']);
    expect(await cards.eventsOf('m-2')).toEqual([]);
    expect((await cards.undelivered(true, 10)).map(({ merchantRequestId }) => merchantRequestId)).toEqual([
      'm-1',
      'm-1',
    ]);
    expect((await cards.undelivered(false, 10)).map(({ paymentId }) => paymentId)).toEqual(['p-3']);
  });

  it('are not shown to an intent that names the payment of another one', async () => {
    const { cards } = await test.open();
    await cards.receive(cardEvent('p-1'));
    expect(await cards.linkPayment('p-1', 'm-1', 3_000)).toHaveLength(1);
    expect(await cards.linkPayment('p-1', 'm-2', 3_000)).toBeUndefined();
    expect(await cards.ownerOfPayment('p-1')).toBe('m-1');
  });

  it('are seen by the link or see it, in any order of the two', async () => {
    const [worker, gateway] = [await test.open(), await test.open()];
    const linking = (id: string) => worker.cards.linkPayment(id, 'm-1', 3_000);
    const receiving = async (id: string) => {
      await gateway.cards.receive(cardEvent(id));
      return gateway.cards.ownerOfPayment(id);
    };
    expect(await receiving('early')).toBeUndefined();
    expect(await linking('early')).toHaveLength(1);
    expect(await linking('late')).toEqual([]);
    expect(await receiving('late')).toBe('m-1');
    for (const [index, id] of documentIds(100).entries()) {
      const linkingAfter = async () => {
        for (let turn = 0; turn < index % 4; turn += 1) await setImmediate();
        return linking(id);
      };
      const [seen, owner] = await Promise.all([linkingAfter(), receiving(id)]);
      expect(seen?.length === 1 || owner === 'm-1').toBe(true);
    }
  });

  it('come page by page, oldest first, without those read often enough', async () => {
    const { cards } = await test.open();
    const ids = documentIds(5);
    for (const id of ids) await cards.receive(cardEvent(id));
    await cards.receive(cardEvent('old', { receivedAt: 1_000 }));
    const pages: string[][] = [];
    for (let page = await cards.undelivered(false, 4); page.length > 0; ) {
      pages.push(page.map(({ paymentId }) => paymentId));
      page = await cards.undelivered(false, 4, { after: page.at(-1) });
    }
    expect(pages).toEqual([['old', ...ids.slice(0, 3)], ids.slice(3)]);
    for (let read = 0; read < 2; read += 1) await cards.countRetrieve(cardEvent('old'));
    expect(await cards.undelivered(false, 9, { readsBelow: 2 })).toHaveLength(5);
    expect((await cards.undelivered(false, 9, { readsBelow: 3 }))[0]).toMatchObject({ paymentId: 'old', reads: 2 });
  });

  it('keep their first effect, and a contradiction marks the payment and is audited once', async () => {
    const store = await test.open();
    const { cards } = store;
    await cards.claim(cardClaim('m-1'));
    await cards.change('m-1', { state: 'failed', at: 2_000 });
    const event = cardEvent('p-1');
    await cards.receive(event);
    await cards.receive(cardEvent('p-2', { receivedAt: 2_001 }));
    await cards.recordEventEffect(event, { ...DELIVERED, effect: 'contradicts' });
    await cards.recordEventEffect(event, { ...DELIVERED, effect: 'confirms', at: 9_000 });
    await cards.recordEventEffect(cardEvent('p-2'), { ...DELIVERED, effect: 'contradicts', at: 9_000 });
    expect(await cards.eventsOf('m-1')).toMatchObject([
      { effect: 'contradicts', deliveredAt: 3_000 },
      { effect: 'contradicts', deliveredAt: 9_000 },
    ]);
    expect(await cards.get('m-1')).toMatchObject({ state: 'failed', contradictedAt: 3_000 });
    expect(await store.auditEntriesOf('m-1')).toMatchObject([
      { actor: 'acquirer', detail: { payment_id: 'p-1', payment_status: 'SUCCEEDED' } },
      { at: 9_000, detail: { payment_id: 'p-2' } },
    ]);
    expect(await cards.undelivered(true, 10)).toEqual([]);
  });

  it('are there for every other process once they were taken', async () => {
    const [gateway, worker] = [await test.open(), await test.open()];
    await gateway.cards.receive(cardEvent('p-1', { merchantRequestId: 'm-1' }));
    expect(await worker.cards.undelivered(true, 10)).toMatchObject([{ paymentId: 'p-1', merchantRequestId: 'm-1' }]);
  });
});
