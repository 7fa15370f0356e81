import { expect, test } from 'vitest';
import { ok } from './support/scripted-bank.ts';
import { bankWith } from './support/test-bank.ts';

const HOUR_MS = 3_600_000;
const FROM = 1_800_000_000_000;
const ORDER = {
  ...{ order_id: 'ours', status: 'COMPLETED', type: 'PAYMENT', direct: 'OUT', transaction_uid: 'u-1' },
  ...{ transaction_currency: 'USD', transaction_account: 'acc-1', created_at: FROM },
};

/** Reads the list of u-1 in USD since FROM from a bank that shows these orders. */
async function read(records: readonly object[], { type, total }: { type?: string; total?: number } = {}) {
  const { bank, server } = await bankWith(({ target, ...request }, response) => {
    const page = Number(new URL(target, 'http://bank').searchParams.get('page'));
    const shown = page === 1 ? records : [];
    ok({ total: total ?? records.length, page, records: shown })({ target, ...request }, response);
  });
  const query = { uid: 'u-1', currency: 'USD', from: FROM, type };
  const [once, settled] = [await bank.orders.listAll(query), await bank.orders.listStable(query)];
  for (const scan of [once, settled]) {
    expect(scan.stable).toBe(scan.doubt === undefined);
    expect(scan.orders.map(({ order_id }) => order_id)).toEqual(once.orders.map(({ order_id }) => order_id));
  }
  expect(settled.doubt).toBe(once.doubt);
  // A list in doubt is read to its end, and no further.
  if (once.doubt !== undefined) expect(server.seen).toHaveLength(4);
  return { doubt: once.doubt, ids: once.orders.map(({ order_id }) => order_id) };
}

test.each<[string, object, string]>([
  ['user', { transaction_uid: 'u-2' }, 'orders of another user'],
  ['currency', { transaction_currency: 'EUR' }, 'orders in another currency'],
  [
    'pair of currencies',
    { type: 'FX', transaction_currency: undefined, sell_currency: 'GBP', buy_currency: 'EUR' },
    'orders in another currency',
  ],
])('a list with an order of another %s proves nothing, and that order is in nobody’s hands', async (_, odd, doubt) => {
  expect(await read([{ ...ORDER, ...odd, order_id: 'theirs' }, ORDER])).toEqual({ doubt, ids: ['ours'] });
});

test.each<[string, object, string]>([
  ['is older than any time zone makes it', { created_at: FROM - 12 * HOUR_MS - 1_001 }, 'orders made before'],
  ['does not show readably whose it is', { transaction_uid: {} }, 'records that cannot be read'],
  ['does not show readably in which currency it is', { transaction_currency: {} }, 'records that cannot be read'],
])('a list with an order that %s proves nothing', async (_, odd, doubt) => {
  const scan = await read([{ ...ORDER, ...odd, order_id: 'odd' }, ORDER]);
  expect(scan.doubt).toContain(doubt);
  expect(scan.ids).toContain('ours');
});

test('a list with orders of another type than asked for proves nothing', async () => {
  expect(await read([ORDER], { type: 'FX' })).toEqual({ doubt: 'orders of another type', ids: ['ours'] });
  expect(await read([ORDER], { type: 'PAYMENT' })).toEqual({ doubt: undefined, ids: ['ours'] });
});

test.each<[string, object]>([
  ['shows nothing but its id and status', { order_id: 'x', status: 'COMPLETED' }],
  ['is written in small letters', { ...ORDER, transaction_currency: 'usd', type: 'payment' }],
  [
    'sells the currency',
    { ...ORDER, type: 'FX', transaction_currency: 'EUR', sell_currency: 'USD', buy_currency: 'EUR' },
  ],
  [
    'buys the currency',
    { ...ORDER, type: 'FX', transaction_currency: null, sell_currency: 'EUR', buy_currency: 'USD' },
  ],
  ['is a transfer that shows its other user', { ...ORDER, type: 'TRANSFER', direct: 'IN', transaction_uid: 'u-2' }],
  ['is one by its payment type', { ...ORDER, type: undefined, payment_type: 'inner', transaction_uid: 'u-2' }],
  ['is stamped in the time of a zone behind the bank', { ...ORDER, created_at: FROM - 12 * HOUR_MS }],
  ['has an unreadable time', { ...ORDER, created_at: 'today' }],
  ['has an unreadable member of another kind of order', { ...ORDER, sell_currency: {} }],
])('an order that %s is as asked', async (_, order) => {
  expect((await read([order])).doubt).toBeUndefined();
});

test('nor does an order without a readable id leave a list that proves anything', async () => {
  expect(await read([{ ...ORDER, order_id: {} }, ORDER])).toEqual({
    doubt: 'records that cannot be read',
    ids: ['ours'],
  });
});
