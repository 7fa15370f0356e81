import { describe, expect, it } from 'vitest';
import type { ExpectedOrder, OrderFacts } from '../../src/domain/order-judgement.ts';
import { changesOf, differenceText, type ExpectedTerms } from '../../src/domain/reconciliation.ts';

const payment: ExpectedOrder = {
  kind: 'payment',
  reference: 'ref',
  uid: 'u-1',
  accountId: 'acc-u1-usd',
  currency: 'USD',
  amount: '12.00',
};
const booked = { orderId: 'own', fee: '1.00', feeCurrency: 'USD' };
const terms = (more: Partial<ExpectedTerms> = {}): ExpectedTerms => ({
  expected: payment,
  ownIds: ['own'],
  accepted: [],
  ...more,
});

const paid = (more: Partial<OrderFacts> = {}): OrderFacts => ({
  order_id: 'own',
  client_order_id: 'ref',
  transaction_uid: 'u-1',
  type: 'PAYMENT',
  direct: 'OUT',
  status: 'COMPLETED',
  stage: 'paid',
  transaction_account: 'acc-u1-usd',
  transaction_currency: 'USD',
  transaction_amount: '12.00',
  fee: '1.00',
  fee_currency: 'USD',
  ...more,
});

const texts = (order: OrderFacts, known: ExpectedTerms): string[] => changesOf(order, known).map(differenceText);

describe('a payment', () => {
  it.each<[Partial<OrderFacts>, string[]]>([
    [{}, []],
    [{ transaction_amount: '12.0000', fee: '1' }, []],
    [{ transaction_amount: '13.00' }, []],
    [{ transaction_amount: undefined, fee: undefined, transaction_account: undefined, direct: undefined }, []],
    [{ client_order_id: 'REF' }, []],
    [{ transaction_amount: '120.00' }, ['transaction_amount: sent 12.00, shown 120.00']],
    [{ transaction_uid: 'u-2' }, ['transaction_uid: sent u-1, shown u-2']],
    [{ client_order_id: 'another' }, ['client_order_id: sent ref, shown another']],
    [{ fee: '15.00' }, ['fee: booked 1.00 USD, shown 15.00 USD', 'fee above its cap: agreed 5.00, shown 15.00 USD']],
    [{ fee: '0.00' }, ['fee: booked 1.00 USD, shown 0.00 USD']],
    [{ fee_currency: 'EUR' }, ['fee: booked 1.00 USD, shown 1.00 EUR']],
    [{ direct: 'IN' }, ['direct: sent OUT, shown IN']],
    [{ type: 'FX' }, ['type: sent PAYMENT, shown FX']],
  ])('shown with %j: %j', (shown, expected) => {
    expect(texts(paid(shown), terms({ booked, feeAtMost: '5.00' }))).toEqual(expected);
  });

  it('whose fee was not shown at its end may show one within the cap', () => {
    const unknown = { orderId: 'own' };
    expect(texts(paid({ fee: '4.00' }), terms({ booked: unknown, feeAtMost: '5.00' }))).toEqual([]);
    expect(texts(paid({ fee: '6.00' }), terms({ booked: unknown, feeAtMost: '5.00' }))).toHaveLength(1);
    expect(texts(paid({ fee: '6.00' }), terms({ booked: unknown }))).toEqual([]);
  });

  it('that took no money has no fee to compare', () => {
    expect(texts(paid({ stage: 'failed', status: 'FAILED', fee: '0.00' }), terms({ booked }))).toEqual([]);
  });

  it.each([
    ['acc-u1-eur', 'transaction_account: sent ***-usd, shown ***-eur'],
    ['acc-u2-usd', 'transaction_account: sent ***1-usd, shown ***2-usd'],
    ['9', 'transaction_account: sent ***-usd, shown 9'],
  ])('names the accounts by their ends, %s: %s', (account, expected) => {
    expect(texts(paid({ transaction_account: account }), terms())).toEqual([expected]);
  });

  it('says nothing that people accepted, until the value changes again', () => {
    const accepted = [{ orderId: 'own', field: 'transaction_amount', shown: '120.00' }];
    expect(texts(paid({ transaction_amount: '120.00' }), terms({ accepted }))).toEqual([]);
    expect(texts(paid({ transaction_amount: '130.00' }), terms({ accepted }))).toHaveLength(1);
    expect(texts(paid({ transaction_amount: '120.00', order_id: 'x' }), terms({ accepted }))).toHaveLength(1);
  });

  it('shows no control characters, and nothing too long for a key of the store', () => {
    const [difference] = changesOf(paid({ client_order_id: `\u001b[2J${'x'.repeat(5_000)}` }), terms());
    expect(difference?.shown).toMatch(/^\?\[2Jx{196}$/);
  });
});

describe('a transfer', () => {
  const transfer = terms({
    expected: { ...payment, kind: 'transfer' },
    arrivesAt: { uid: 'u-2', accountId: 'acc-u2-usd' },
  });
  const moved = (more: Partial<OrderFacts> = {}) => paid({ type: 'TRANSFER', ...more });
  const arrived = { direct: 'IN', transaction_uid: 'u-2', transaction_account: 'acc-u2-usd' };

  it.each<[Partial<OrderFacts>, string[]]>([
    [{}, []],
    [arrived, []],
    [{ ...arrived, transaction_uid: 'u-1' }, []],
    [{ ...arrived, transaction_uid: 'u-3' }, ['transaction_uid: sent u-2, shown u-3']],
    [{ ...arrived, transaction_account: 'acc-u3-usd' }, ['transaction_account: sent ***2-usd, shown ***3-usd']],
    [{ ...arrived, transaction_amount: '11.00' }, []],
    [{ transaction_amount: '11.00' }, ['transaction_amount: sent 12.00, shown 11.00']],
    [{ ...arrived, transaction_amount: '1.00' }, ['transaction_amount: sent 12.00, shown 1.00']],
    [{ transaction_account: 'acc-u3-usd' }, ['transaction_account: sent ***1-usd, shown ***3-usd']],
  ])('shown with %j: %j', (shown, expected) => {
    expect(texts(moved(shown), transfer)).toEqual(expected);
  });
});

describe('an exchange', () => {
  const exchange = terms({
    expected: {
      kind: 'exchange',
      reference: 'ref',
      uid: 'u-1',
      accountId: 'acc-u1-eur',
      sellCurrency: 'EUR',
      buyAccountId: 'acc-u1-usd',
      currency: 'USD',
      amount: '12.00',
    },
    booked: { orderId: 'own', sellAmount: '10.00', rate: '1.2000000000', fee: '0.00', feeCurrency: 'EUR' },
  });
  const sold = (more: Partial<OrderFacts> = {}): OrderFacts => ({
    order_id: 'own',
    client_order_id: 'ref',
    type: 'FX',
    status: 'COMPLETED',
    stage: 'paid',
    sell_account: 'acc-u1-eur',
    sell_currency: 'EUR',
    sell_amount: '10.00',
    buy_account: 'acc-u1-usd',
    buy_currency: 'USD',
    buy_amount: '12.00',
    rate: '1.2',
    fee: '0.00',
    fee_currency: 'EUR',
    ...more,
  });

  it.each<[Partial<OrderFacts>, string[]]>([
    [{}, []],
    [{ sell_amount: '11.00' }, ['sell_amount: booked 10.00, shown 11.00']],
    [{ buy_amount: '1.00' }, ['buy_amount: sent 12.00, shown 1.00']],
    [{ rate: '1.3' }, ['rate: booked 1.2000000000, shown 1.3']],
    [{ fee: '2.00' }, ['fee: booked 0.00 EUR, shown 2.00 EUR']],
    [{ sell_currency: 'GBP' }, ['sell_currency: sent EUR, shown GBP']],
    [{ buy_currency: 'GBP' }, ['buy_currency: sent USD, shown GBP']],
    [{ sell_account: 'acc-u1-gbp' }, ['sell_account: sent ***-eur, shown ***-gbp']],
    [{ buy_account: 'acc-u1-gbp' }, ['buy_account: sent ***-usd, shown ***-gbp']],
    // The record of the other side.
    [{ order_id: 'leg', fee: '2.00' }, []],
  ])('shown with %j: %j', (shown, expected) => {
    expect(texts(sold(shown), exchange)).toEqual(expected);
  });
});
