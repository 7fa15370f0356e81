import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CardEvent, CardPaymentView } from '../../src/domain/card-payment.ts';
import { combinedSum, judgeCard, type ShownSum, saysOfEnd } from '../../src/domain/card-payment.ts';

const expected = {
  amount: '49.90',
  currency: 'EUR',
  requestIds: ['order-1', 'derived-1'],
  current: 'p-1',
};

const event = (status: string, more: Partial<CardEvent> = {}): CardEvent => ({
  kind: 'status',
  paymentId: 'p-1',
  status,
  trust: 'verified',
  receivedAt: 0,
  ...more,
});
const read = (status: string, more: Partial<CardPaymentView> = {}): CardPaymentView => ({
  paymentId: 'p-1',
  status,
  nextAction: null,
  ...more,
});

describe('judgeCard', () => {
  it.each([
    ['SUCCEEDED', 'succeeded'],
    ['FAILED', 'failed'],
  ])('%s from a verified event or from a read alone ends it as %s', (status, end) => {
    expect(judgeCard([event(status)], [], expected)).toEqual({ end, paymentId: 'p-1' });
    expect(judgeCard([], [read(status)], expected)).toEqual({ end, paymentId: 'p-1' });
    expect(judgeCard([event(status)], [read('PROCESSING')], expected)).toEqual({ end, paymentId: 'p-1' });
  });

  it.each([
    ['a hint', [event('SUCCEEDED', { trust: 'hint' })]],
    ['a completed challenge', [event('SUCCEEDED', { kind: 'completion' })]],
    ['a status nobody knows', [event('CAPTURED')]],
    ['nothing', []],
  ])('%s ends nothing', (_what, events) => {
    expect(judgeCard(events, [read('PROCESSING')], expected)).toEqual({ open: true });
  });

  it('contradictions decide nothing, from any source', () => {
    const contradicted = { conflict: 'status-contradicted' };
    expect(judgeCard([event('SUCCEEDED'), event('FAILED')], [], expected)).toMatchObject(contradicted);
    expect(judgeCard([event('FAILED')], [read('SUCCEEDED')], expected)).toMatchObject(contradicted);
    expect(judgeCard([event('SUCCEEDED')], [read('FAILED')], expected)).toMatchObject(contradicted);
  });

  it('two payments of one intent that both took money are for people', () => {
    const events = [event('SUCCEEDED'), event('SUCCEEDED', { paymentId: 'p-2' })];
    expect(judgeCard(events, [], { ...expected, current: 'p-2' })).toMatchObject({ conflict: 'status-contradicted' });
  });

  it('the end of a declined first payment is not the end of the one that followed it', () => {
    expect(judgeCard([event('FAILED')], [], { ...expected, current: 'p-2' })).toEqual({ open: true });
    expect(judgeCard([event('SUCCEEDED')], [], { ...expected, current: 'p-2' })).toEqual({
      end: 'succeeded',
      paymentId: 'p-1',
    });
  });

  it.each([
    ['amount-conflict', { amount: '49.91' }],
    ['amount-conflict', { currency: 'USD' }],
    ['payment-conflict', { merchantRequestId: 'somebody-else' }],
  ])('shown with other fields it is %s, paid or not', (conflict, shown) => {
    for (const status of ['SUCCEEDED', 'FAILED', 'PROCESSING', 'REQUIRES_ACTION']) {
      expect(judgeCard([event('SUCCEEDED')], [read(status, shown)], expected)).toMatchObject({
        conflict: status === 'FAILED' ? 'status-contradicted' : conflict,
      });
    }
  });

  it.each([
    ['amount', { amount: '4.99' }],
    ['unit', { amount: '4990' }],
    ['currency', { amount: '49.90', currency: 'USD' }],
    ['sum that nobody can read', { amount: '?' }],
  ])('another %s in an event is a conflict, where a read shows none', (_what, said) => {
    for (const status of ['SUCCEEDED', 'FAILED', 'PROCESSING']) {
      const judged = judgeCard([event(status, said)], [read('PROCESSING')], expected);
      expect(judged).toEqual({ conflict: 'amount-conflict' });
    }
    expect(judgeCard([event('SUCCEEDED', { ...said, trust: 'hint' })], [], expected)).toEqual({ open: true });
  });

  it('the sum that an event says is no conflict in another spelling, or about a card that was declined before', () => {
    const said = event('SUCCEEDED', { amount: '49.9', currency: 'EUR' });
    expect(judgeCard([said], [], expected)).toEqual({ end: 'succeeded', paymentId: 'p-1' });
    const before = event('FAILED', { paymentId: 'p-0', amount: '60.00', currency: 'EUR' });
    expect(judgeCard([before, said], [], expected)).toEqual({ end: 'succeeded', paymentId: 'p-1' });
    const taken = { ...before, status: 'SUCCEEDED' };
    expect(judgeCard([taken], [], expected)).toEqual({ conflict: 'amount-conflict' });
  });

  it('an amount in another spelling is the same amount', () => {
    const shown = { amount: '49.9', currency: 'EUR', merchantRequestId: 'derived-1' };
    expect(judgeCard([], [read('SUCCEEDED', shown)], expected)).toEqual({ end: 'succeeded', paymentId: 'p-1' });
  });

  it('never says succeeded without a verified event or a read that says so, and the order of events is of no account', () => {
    const events = fc.array(
      fc.record({
        kind: fc.constantFrom('status' as const, 'completion' as const),
        paymentId: fc.constantFrom('p-1', 'p-2'),
        status: fc.constantFrom('SUCCEEDED', 'FAILED', 'PROCESSING', ''),
        trust: fc.constantFrom('verified' as const, 'hint' as const),
        receivedAt: fc.nat(),
      }),
      { maxLength: 6 },
    );
    fc.assert(
      fc.property(events, (received) => {
        const judged = judgeCard(received, [], expected);
        expect(judgeCard(received.toReversed(), [], expected)).toEqual(judged);
        const said = (status: string): boolean =>
          received.some((it) => it.kind === 'status' && it.trust === 'verified' && it.status === status);
        if ('end' in judged) expect(said(judged.end === 'succeeded' ? 'SUCCEEDED' : 'FAILED')).toBe(true);
        if ('open' in judged) expect(said('SUCCEEDED')).toBe(false);
      }),
    );
  });
});

describe('saysOfEnd', () => {
  const BACK = ['REFUNDED'];
  const paid = { state: 'succeeded', paymentId: 'p-1', amount: '49.90', currency: 'EUR' } as const;

  it.each([
    ['another amount', { amount: '4.99' }, 'contradicts'],
    ['another currency', { amount: '49.90', currency: 'USD' }, 'contradicts'],
    ['the same sum', { amount: '49.9', currency: 'EUR' }, 'confirms'],
    ['no sum', { amount: null, currency: null }, 'confirms'],
  ])('of a payment that was taken: SUCCEEDED of %s', (_what, said, says) => {
    expect(saysOfEnd(paid, { paymentId: 'p-1', status: 'SUCCEEDED', ...said }, BACK)).toBe(says);
    expect(saysOfEnd(paid, { paymentId: 'p-1', status: 'PROCESSING', ...said }, BACK)).toBeUndefined();
    expect(saysOfEnd(paid, { paymentId: 'p-1', status: 'refunded', ...said }, BACK)).toBe('contradicts');
    expect(saysOfEnd(paid, { paymentId: 'p-1', status: 'refunded', ...said }, [])).toBeUndefined();
  });
});

describe('combinedSum', () => {
  it.each<[string, ShownSum, ShownSum, ShownSum | undefined]>([
    ['no sum at all', { amount: '49.90', currency: 'EUR' }, {}, undefined],
    ['the same sum', { amount: '49.90', currency: 'EUR' }, { amount: '49.9', currency: 'EUR' }, undefined],
    ['a first sum', {}, { amount: '4.99', currency: 'EUR' }, { amount: '4.99', currency: 'EUR' }],
    ['another amount', { amount: '49.90' }, { amount: '4.99' }, { amount: '49.90 / 4.99', currency: undefined }],
    [
      'another currency',
      { amount: '1', currency: 'EUR' },
      { amount: '1', currency: 'USD' },
      { amount: '1', currency: 'EUR / USD' },
    ],
    ['a third amount', { amount: '49.90 / 4.99' }, { amount: '5' }, undefined],
    ['what could not be kept, twice', { amount: '?' }, { amount: '?' }, undefined],
  ])('of an event that says %s', (_what, known, said, both) => {
    expect(combinedSum(known, said)).toEqual(both);
  });

  it("of two different sums is nobody's, whichever came first", () => {
    for (const [known, said] of [
      ['49.90', '4.99'],
      ['4.99', '49.90'],
    ] as const) {
      const both = combinedSum({ amount: known }, { amount: said });
      expect(judgeCard([event('SUCCEEDED', both)], [], expected)).toEqual({ conflict: 'amount-conflict' });
    }
  });
});
