import { describe, expect, it } from 'vitest';
import {
  isArrival,
  isIndistinct,
  isReturn,
  type OrderFacts,
  orderDifferences,
  REFERENCE_FORM,
} from '../../src/domain/order-judgement.ts';

const REFERENCE = '0f8b6c1e-3d52-5c0b-9a77-2f6e0c1d5b94';
const EXPECTED = { kind: 'payment', reference: REFERENCE, uid: 'u-1', currency: 'USD', amount: '12.50' } as const;

const order = (clientOrderId: string | undefined): OrderFacts => ({
  order_id: 'o-1',
  client_order_id: clientOrderId,
  status: 'COMPLETED',
  stage: 'paid',
  transaction_amount: '12.50',
});

describe('an order that shows our reference in another form', () => {
  const FORMS = [REFERENCE.toUpperCase(), REFERENCE.slice(0, 20)];

  it.each(FORMS)('(%s) is ours when the bank has returned its id', (shown) => {
    expect(orderDifferences(order(shown), EXPECTED, ['o-0', 'o-1'])).toEqual([]);
  });

  it.each(FORMS)('(%s) is for people to judge when nobody has', (shown) => {
    expect(orderDifferences(order(shown), EXPECTED, ['o-0'])).toEqual([REFERENCE_FORM]);
    expect(orderDifferences(order(shown), EXPECTED)).toEqual([REFERENCE_FORM]);
  });

  it('is another order when the reference is another one, with any id', () => {
    expect(orderDifferences(order('theirs'), EXPECTED, ['o-1'])).toEqual(['client_order_id']);
  });

  it('still differs in what else it is', () => {
    const other = { ...order(REFERENCE.toUpperCase()), transaction_amount: '12.51' };
    expect(orderDifferences(other, EXPECTED, ['o-1'])).toEqual(['transaction_amount']);
  });

  it('proves nothing without a reference', () => {
    expect(orderDifferences(order(undefined), EXPECTED)).toEqual([]);
  });
});

describe('a member that cannot be read', () => {
  const shown: OrderFacts = { ...order(REFERENCE), type: 'PAYMENT', direct: 'OUT', transaction_currency: 'USD' };
  const without = (field: keyof OrderFacts): OrderFacts => ({ ...shown, [field]: undefined, unreadable: [field] });

  it.each(['client_order_id', 'transaction_uid', 'type', 'direct', 'transaction_amount'] as const)(
    'does not count as not shown (%s)',
    (field) => {
      expect(orderDifferences(without(field), EXPECTED)).toEqual([`${field} (not readable)`]);
    },
  );

  it.each(['sell_amount', 'buy_amount', 'sell_currency'] as const)('is none of a payment (%s)', (field) => {
    expect(orderDifferences(without(field), EXPECTED)).toEqual([]);
  });

  it.each(['sell_amount', 'buy_amount', 'sell_currency', 'buy_account'] as const)(
    'does not count as not shown in an exchange (%s)',
    (field) => {
      const exchange = { ...EXPECTED, kind: 'exchange', sellCurrency: 'EUR', buyAccountId: 'to' } as const;
      const booked = { ...without(field), type: 'FX' };
      expect(orderDifferences(booked, exchange)).toEqual([`${field} (not readable)`]);
    },
  );

  it.each(['client_order_id', 'transaction_amount', 'transaction_currency'] as const)(
    'may hold what was sent, so that the order may be the one searched for (%s)',
    (field) => {
      expect(isIndistinct({ ...without(field), client_order_id: undefined }, EXPECTED)).toBe(true);
    },
  );
});

describe('the order of a transfer', () => {
  const expected = { ...EXPECTED, kind: 'transfer', accountId: 'from' } as const;
  const shown: OrderFacts = {
    ...order(REFERENCE),
    type: 'TRANSFER',
    direct: 'OUT',
    transaction_account: 'from',
    transaction_currency: 'USD',
  };

  it('is the one that leaves the source', () => {
    expect(orderDifferences(shown, expected)).toEqual([]);
    expect(
      orderDifferences({ ...shown, transaction_amount: '13.50', fee: '1.00', fee_currency: 'USD' }, expected),
    ).toEqual([]);
  });

  it('shows its amount alone or with its fee: the quoted one, if it shows no fee', () => {
    const [gross, quoted] = [
      { ...shown, transaction_amount: '13.50' },
      { ...expected, fee: '1.00' },
    ];
    expect(orderDifferences(gross, quoted)).toEqual([]);
    expect(orderDifferences(gross, expected)).toEqual(['transaction_amount']);
    expect(orderDifferences({ ...gross, fee: '0.50', fee_currency: 'USD' }, quoted)).toEqual(['transaction_amount']);
  });

  it.each<[string, Partial<OrderFacts>]>([
    ['type', { type: 'PAYMENT' }],
    ['direct', { direct: 'IN' }],
    ['transaction_account', { transaction_account: 'to' }],
    ['transaction_currency', { transaction_currency: 'EUR' }],
    ['transaction_amount', { transaction_amount: '12.51' }],
  ])('is another one when its %s is', (field, change) => {
    expect(orderDifferences({ ...shown, ...change }, expected)).toEqual([field]);
  });

  it('has another side, which is neither a return nor a second order', () => {
    const other = { type: 'TRANSFER', direct: 'IN' };
    expect([isArrival(other), isReturn(other)]).toEqual([true, false]);
    expect([isArrival(shown), isArrival({ type: 'FX', direct: 'IN' })]).toEqual([false, false]);
  });
});

describe('the order of an exchange', () => {
  const expected = {
    ...({ ...EXPECTED, kind: 'exchange', accountId: 'euros' } as const),
    ...{ buyAccountId: 'dollars', sellCurrency: 'EUR' },
  };
  const shown: OrderFacts = {
    ...{ ...order(REFERENCE), transaction_amount: undefined, type: 'FX', direct: 'OUT' },
    ...{ sell_account: 'euros', sell_currency: 'EUR', sell_amount: '11.36' },
    ...{ buy_account: 'dollars', buy_currency: 'USD', buy_amount: '12.50' },
  };

  it('is the one between the accounts that were sent', () => {
    expect(orderDifferences(shown, expected)).toEqual([]);
    expect(orderDifferences({ ...shown, sell_account: undefined, buy_account: undefined }, expected)).toEqual([]);
    expect(orderDifferences(shown, { ...expected, buyAccountId: undefined, sellCurrency: undefined })).toEqual([]);
  });

  it.each<[string, Partial<OrderFacts>]>([
    ['type', { type: 'TRANSFER' }],
    ['sell_account', { sell_account: 'pounds' }],
    ['sell_currency', { sell_currency: 'GBP' }],
    ['buy_account', { buy_account: 'other dollars' }],
    ['buy_currency', { buy_currency: 'AUD' }],
    ['buy_amount', { buy_amount: '12.51' }],
  ])('is another one when its %s is', (field, change) => {
    expect(orderDifferences({ ...shown, ...change }, expected)).toEqual([field]);
  });

  it.each([
    ['a part was bought', { buy_amount: '5.00' }, true],
    ['its fee was taken from it', { buy_amount: '11.50', fee: '1.00', fee_currency: 'USD' }, true],
    ['less was bought than its fee explains', { buy_amount: '11.49', fee: '1.00', fee_currency: 'USD' }, false],
  ])('may be one that shows no reference if %s: %j, %s', (_how, change, maybe) => {
    expect(isIndistinct({ ...shown, client_order_id: undefined, ...change }, expected)).toBe(maybe);
  });
});
