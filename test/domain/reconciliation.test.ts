import { describe, expect, it } from 'vitest';
import { orderStage } from '../../src/bank/schemas/order-status.ts';
import type { OrderFacts } from '../../src/domain/order-judgement.ts';
import type { PayoutState } from '../../src/domain/payout-state.ts';
import { because, type ReasonCode } from '../../src/domain/reasons.ts';
import type { ExpectedTerms } from '../../src/domain/reconciliation.ts';
import {
  addFindings,
  factsOfExchange,
  factsOfPayment,
  incidentText,
  NOTHING_FOUND,
  type StoredPayout,
} from '../../src/domain/reconciliation.ts';

const payout = (state: PayoutState, orderId: string | null = 'own', reason?: ReasonCode): StoredPayout => ({
  kind: 'payout',
  reference: 'ref',
  uid: 'u-1',
  state,
  orderId,
  reason: reason === undefined ? null : because(reason),
});

const order = (orderId: string, status: string, more: Partial<OrderFacts> = {}): OrderFacts => ({
  order_id: orderId,
  client_order_id: 'ref',
  transaction_uid: 'u-1',
  type: 'PAYMENT',
  direct: 'OUT',
  status,
  stage: orderStage(status),
  transaction_currency: 'USD',
  transaction_amount: '12.50',
  ...more,
});

const kinds = (facts: { kind: string; orderId: string }[]): string[] =>
  facts.map(({ kind, orderId }) => `${kind} ${orderId}`);

describe('orders under the reference of a payout', () => {
  it.each<[string, StoredPayout, OrderFacts[], string[]]>([
    ['its own, paid', payout('completed'), [order('own', 'COMPLETED')], []],
    ['its own, paid, now failed', payout('completed'), [order('own', 'FAILED')], ['end-contradicted own']],
    ['its own, paid, now open', payout('completed'), [order('own', 'SUBMITTED')], ['end-contradicted own']],
    ['its own, paid, now unclear', payout('completed'), [order('own', 'CLOSED')], ['end-contradicted own']],
    ['its own, failed', payout('failed', 'own', 'bank-failed'), [order('own', 'FAILED')], []],
    ['its own, failed, now cancelled', payout('failed', 'own', 'bank-failed'), [order('own', 'CANCELLED')], []],
    ['its own, rejected, now paid', payout('rejected'), [order('own', 'COMPLETED')], ['end-contradicted own']],
    ['its own, cancelled, now live', payout('cancelled'), [order('own', 'APPROVED')], ['end-contradicted own']],
    ['its own, in audit again', payout('rejected'), [order('own', 'WAIT_FOR_AUDIT')], ['end-contradicted own']],
    ['its own, failed, now unclear', payout('failed'), [order('own', 'NEW_WORD')], ['end-contradicted own']],
    ['closed by an operator, unclear', payout('failed', 'own', 'closed-by-operator'), [order('own', 'CLOSED')], []],
    [
      'closed by an operator, now paid',
      payout('failed', 'own', 'closed-by-operator'),
      [order('own', 'COMPLETED')],
      ['end-contradicted own'],
    ],
    [
      'a second one, paid',
      payout('completed'),
      [order('own', 'COMPLETED'), order('more', 'COMPLETED')],
      ['second-order more'],
    ],
    ['a second one, in audit', payout('completed'), [order('more', 'WAIT_FOR_AUDIT')], ['second-order more']],
    ['a second one, unclear', payout('completed'), [order('more', 'CLOSED')], ['second-order more']],
    ['a second one that took no money', payout('completed'), [order('more', 'REJECTED')], []],
    [
      'two more',
      payout('completed'),
      [order('a', 'ACCEPTED'), order('b', 'COMPLETED')],
      ['second-order a', 'second-order b'],
    ],
    [
      'one for a refused payout',
      payout('failed', null, 'refused-by-bank'),
      [order('late', 'ACCEPTED')],
      ['order-after-end late'],
    ],
    [
      'one after an operator closed it',
      payout('failed', null, 'closed-by-operator'),
      [order('late', 'CLOSED')],
      ['order-after-end late'],
    ],
    ['a dead one for a failed payout', payout('failed', null), [order('late', 'FAILED')], []],
    [
      'another one beside its failed own',
      payout('failed'),
      [order('own', 'FAILED'), order('late', 'COMPLETED')],
      ['order-after-end late'],
    ],
    ['of an open payout', payout('processing'), [order('own', 'FAILED'), order('more', 'COMPLETED')], []],
    ['of a payout with an operator', payout('needs-operator'), [order('more', 'COMPLETED')], []],
  ])('%s', (_name, stored, orders, expected) => {
    expect(kinds(factsOfPayment(stored, orders, 'unclear'))).toEqual(expected);
  });

  it('CLOSED means what it is set to mean', () => {
    expect(factsOfPayment(payout('completed'), [order('own', 'CLOSED')], 'paid')).toEqual([]);
    expect(factsOfPayment(payout('failed'), [order('own', 'CLOSED')], 'failed')).toEqual([]);
    expect(kinds(factsOfPayment(payout('failed'), [order('own', 'CLOSED')], 'paid'))).toEqual(['end-contradicted own']);
  });
});

describe('money that came back', () => {
  const refund = order('back', 'COMPLETED', { type: 'REFUND', direct: 'IN', transaction_amount: '4.00' });

  it.each<PayoutState>(['completed', 'failed', 'processing'])(
    'is a fact of its own of a payout that is %s',
    (state) => {
      const orders = [order('own', state === 'failed' ? 'FAILED' : 'COMPLETED'), refund];
      expect(factsOfPayment(payout(state), orders, 'unclear')).toEqual([
        { kind: 'return', reference: 'ref', orderId: 'back', amount: '4.00', currency: 'USD' },
      ]);
    },
  );

  it('is not there while its order took no money', () => {
    expect(factsOfPayment(payout('completed'), [{ ...refund, stage: 'failed' }], 'unclear')).toEqual([]);
  });

  it('is not the receiving side of a payment between two users', () => {
    const received = order('in', 'COMPLETED', { direct: 'IN', transaction_uid: 'u-2' });
    expect(factsOfPayment(payout('completed'), [received], 'unclear')).toEqual([]);
    expect(kinds(factsOfPayment(payout('completed'), [{ ...received, transaction_uid: 'u-1' }], 'unclear'))).toEqual([
      'return in',
    ]);
  });
});

describe('orders under the reference of an exchange', () => {
  const fx = (orderId: string, status: string, more: Partial<OrderFacts> = {}): OrderFacts =>
    order(orderId, status, { type: 'FX', transaction_currency: 'EUR', ...more });
  const buying = { direct: 'IN', transaction_currency: 'USD' };

  it.each<[string, StoredPayout, string[], OrderFacts[], string[]]>([
    ['one, paid', payout('completed'), ['x'], [fx('x', 'COMPLETED')], []],
    ['one, paid, the answer lost', payout('completed'), [], [fx('x', 'COMPLETED')], []],
    ['a record a side', payout('completed'), ['x'], [fx('x', 'COMPLETED'), fx('y', 'COMPLETED', buying)], []],
    ['two of one side', payout('completed'), ['x'], [fx('x', 'COMPLETED'), fx('w', 'COMPLETED')], ['second-order w']],
    [
      'two of one side, the answer lost',
      payout('completed'),
      [],
      [fx('x', 'ACCEPTED'), fx('w', 'COMPLETED')],
      ['second-order x'],
    ],
    [
      'two of the other side',
      payout('completed'),
      ['x'],
      [fx('x', 'COMPLETED'), fx('y', 'COMPLETED', buying), fx('z', 'COMPLETED', buying)],
      ['second-order z'],
    ],
    ['a dead one beside the own', payout('completed'), ['x'], [fx('x', 'COMPLETED'), fx('w', 'FAILED')], []],
    ['the own, now failed', payout('completed'), ['x'], [fx('x', 'FAILED')], ['end-contradicted x']],
    [
      'resolved as unpaid, and now paid, for any reason of its failure',
      payout('failed', null, 'refused-by-bank'),
      ['x'],
      [fx('x', 'COMPLETED')],
      ['end-contradicted x'],
    ],
    [
      'paid although it had failed',
      payout('failed', null, 'exchange-failed'),
      ['x'],
      [fx('x', 'COMPLETED')],
      ['end-contradicted x'],
    ],
    [
      'a late one beside the failed own',
      payout('failed', null, 'exchange-failed'),
      ['x'],
      [fx('x', 'FAILED'), fx('late', 'SUBMITTED')],
      ['order-after-end late'],
    ],
    ['still at work after the end', payout('cancelled', null), ['x'], [fx('x', 'SUBMITTED')], ['end-contradicted x']],
    ['closed by an operator', payout('failed', null, 'closed-by-operator'), ['x'], [fx('x', 'CLOSED')], []],
    ['of an open payout', payout('converting', null), ['x'], [fx('x', 'COMPLETED'), fx('w', 'COMPLETED')], []],
  ])('%s', (_name, stored, accepted, orders, expected) => {
    expect(kinds(factsOfExchange(stored, { accepted, isBooked: false }, orders, 'unclear'))).toEqual(expected);
  });
});

it.each([
  ['FAILED', ['end-contradicted x']],
  ['COMPLETED', []],
])('an exchange that was booked, and whose payout failed later, is now %s: %j', (status, expected) => {
  const stored = payout('failed', null, 'refused-by-bank');
  const orders = [order('x', status, { type: 'FX' })];
  expect(kinds(factsOfExchange(stored, { accepted: ['x'], isBooked: true }, orders, 'unclear'))).toEqual(expected);
});

it.each([
  ['refused-by-bank', []],
  ['exchange-failed', ['end-contradicted x']],
] as const)('one whose attempts the store has forgotten may have been booked before %s: %j', (reason, expected) => {
  const stored = payout('failed', null, reason);
  const orders = [order('x', 'COMPLETED', { type: 'FX' })];
  const exchange = { accepted: [], isBooked: false, isForgotten: true };
  expect(kinds(factsOfExchange(stored, exchange, orders, 'unclear'))).toEqual(expected);
});

describe('the booked exchange of an open payout, which nobody follows', () => {
  const exchange = { accepted: ['x'], isBooked: true };
  const open = payout('processing', null);
  const fx = (orderId: string, status: string, more: Partial<OrderFacts> = {}) =>
    order(orderId, status, { type: 'FX', ...more });

  it.each<[string, OrderFacts[], string[]]>([
    ['still paid', [fx('x', 'COMPLETED')], []],
    ['undone', [fx('x', 'FAILED')], ['end-contradicted x']],
    ['a record of its other side follows', [fx('x', 'COMPLETED'), fx('y', 'SUBMITTED', { direct: 'IN' })], []],
    ['made twice', [fx('x', 'COMPLETED'), fx('w', 'COMPLETED')], ['second-order w']],
  ])('%s', (_name, orders, expected) => {
    expect(kinds(factsOfExchange(open, exchange, orders, 'unclear'))).toEqual(expected);
  });
});

describe('a contradicted end', () => {
  it('is recorded with both values, and again with another one', () => {
    const reported = ['SUBMITTED', 'FAILED'].flatMap((status) =>
      factsOfPayment(payout('completed'), [order('own', status)], 'unclear'),
    );
    expect(reported.map((fact) => ('differs' in fact ? fact.differs : undefined))).toEqual([
      { field: 'status', ours: 'completed', shown: 'SUBMITTED' },
      { field: 'status', ours: 'completed', shown: 'FAILED' },
    ]);
  });
});

describe('values of an order after the end', () => {
  const expected = { kind: 'payment', reference: 'ref', uid: 'u-1', currency: 'USD', amount: '12.50' } as const;
  const terms: ExpectedTerms = { expected, ownIds: ['own'], accepted: [] };
  const changed = order('own', 'COMPLETED', { transaction_amount: '120.00', transaction_currency: 'EUR' });

  it('are one incident that lists those that differ, of the own order alone', () => {
    const facts = factsOfPayment(
      payout('completed'),
      [changed, { ...changed, order_id: 'dead', stage: 'failed' }],
      'unclear',
      terms,
    );
    expect(facts.map((fact) => ('differs' in fact ? [fact.kind, fact.orderId, incidentText(fact)] : fact))).toEqual([
      [
        ...['order-changed', 'own'],
        expect.stringContaining(
          '(transaction_currency: sent USD, shown EUR; transaction_amount: sent 12.50, shown 120.00)',
        ),
      ],
    ]);
  });

  it.each<[PayoutState, ReasonCode | undefined, number]>([
    ['completed', undefined, 1],
    ['failed', 'bank-failed', 1],
    ['cancelled', undefined, 1],
    ['failed', 'closed-by-operator', 0],
    ['processing', undefined, 0],
  ])('of a payout that is %s, %s: %i incidents', (state, reason, count) => {
    const status = state === 'completed' ? 'COMPLETED' : 'FAILED';
    const shown = { ...changed, status, stage: orderStage(status) };
    expect(factsOfPayment(payout(state, 'own', reason), [shown], 'unclear', terms)).toHaveLength(count);
  });

  it('make no return of an order that we sent', () => {
    const turned = order('own', 'COMPLETED', { type: 'REFUND', direct: 'IN' });
    expect(factsOfPayment(payout('completed'), [turned], 'unclear', terms)).toMatchObject([
      { kind: 'order-changed', differs: { field: 'type | direct', ours: 'PAYMENT | OUT', shown: 'REFUND | IN' } },
    ]);
  });
});

describe('findings', () => {
  const incident = (orderId: string) => ({ kind: 'second-order', reference: 'ref', orderId }) as const;

  it('add up and show the first incidents only', () => {
    const some = (from: number) => ({
      orders: 3,
      returns: 1,
      incidents: 30,
      unaskedOrders: 2,
      recorded: 4,
      shown: Array.from({ length: 30 }, (_, n) => incident(`o-${from + n}`)),
    });
    const both = addFindings(addFindings(NOTHING_FOUND, some(0)), some(100));
    expect(both).toMatchObject({ orders: 6, returns: 2, incidents: 60, unaskedOrders: 4, recorded: 8 });
    expect(both.shown).toHaveLength(50);
  });

  it('count an incident once that both lists of an exchange show', () => {
    const found = (recorded: number) => ({
      ...NOTHING_FOUND,
      orders: 1,
      incidents: 1,
      recorded,
      shown: [incident('fx')],
    });
    expect(addFindings(found(1), found(0))).toEqual({ ...found(1), orders: 2 });
  });
});

describe('orders under the reference of a transfer or an exchange by itself', () => {
  const transfer = { ...payout('completed'), kind: 'transfer' as const };
  const moved = (orderId: string, status: string, more: Partial<OrderFacts> = {}) =>
    order(orderId, status, { type: 'TRANSFER', ...more });

  it('the other side of a transfer is nothing new, and a second one that leaves is', () => {
    const both = [moved('own', 'COMPLETED'), moved('own-in', 'COMPLETED', { direct: 'IN', transaction_uid: 'u-2' })];
    expect(factsOfPayment(transfer, both, 'unclear')).toEqual([]);
    expect(kinds(factsOfPayment(transfer, [...both, moved('more', 'COMPLETED')], 'unclear'))).toEqual([
      'second-order more',
    ]);
    expect(kinds(factsOfPayment(transfer, [moved('own', 'FAILED')], 'unclear'))).toEqual(['end-contradicted own']);
  });

  it('an exchange that failed and is now paid contradicts its end', () => {
    const own = { ...payout('failed', 'own', 'bank-failed'), kind: 'exchange' as const };
    const booked = [order('own', 'COMPLETED', { type: 'FX' })];
    expect(kinds(factsOfExchange(own, { accepted: ['own'], isBooked: false }, booked, 'unclear'))).toEqual([
      'end-contradicted own',
    ]);
    expect(
      factsOfExchange({ ...own, state: 'completed' }, { accepted: ['own'], isBooked: false }, booked, 'unclear'),
    ).toEqual([]);
  });

  it('an exchange shown as one record a side is one exchange', () => {
    const own = { ...payout('completed'), kind: 'exchange' as const };
    const orderKinds = [
      order('own', 'COMPLETED', { type: 'FX', transaction_currency: 'EUR' }),
      order('leg', 'COMPLETED', { type: 'FX', direct: 'IN' }),
    ];
    expect(factsOfExchange(own, { accepted: ['own'], isBooked: false }, orderKinds, 'unclear')).toEqual([]);
  });
});
