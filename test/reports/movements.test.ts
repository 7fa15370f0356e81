import { describe, expect, it } from 'vitest';
import { INCIDENTS, type IncidentKind } from '../../src/domain/reconciliation.ts';
import { type MovedFacts, movedBy } from '../../src/reports/movements.ts';
import type { ReturnSeen } from '../../src/store/store.ts';
import { attempt, booked, exchangeAttempt, paidFacts, SEEN_AT } from './moved.ts';
import { record } from './records.ts';

const reported = (facts: MovedFacts) =>
  movedBy(facts).movements.map(({ id, kind, postings }) => [
    id.slice(33),
    kind,
    ...postings.map(({ direction, accountId, amount, currency }) => `${direction} ${accountId} ${amount} ${currency}`),
  ]);
const unclear = (facts: MovedFacts) => movedBy(facts).unclear.map(({ kind, why }) => [kind, why]);

describe('what a payout moved', () => {
  it('is its payment and its fee, with ids that fit a bank message and are always the same', () => {
    const facts = paidFacts();
    expect(reported(facts)).toEqual([
      ['P', 'payment', 'debit acc-eur 10.00 EUR'],
      ['F', 'fee', 'debit acc-eur 1.50 EUR'],
    ]);
    const [first] = movedBy(facts).movements;
    expect(first?.id).toBe(`${facts.payout.reference.replaceAll('-', '')}-P`);
    expect(first?.id.length).toBeLessThanOrEqual(35);
    expect(first).toMatchObject({ orderId: 'ord-1', at: SEEN_AT });
  });

  it('is what its exchange sold and bought before, and what it cost', () => {
    const facts = paidFacts({
      exchangeAttempts: [exchangeAttempt()],
      exchange: booked({ fee: '0.25', feeCurrency: 'USD' }),
    });
    expect(reported(facts)).toEqual([
      ['X', 'exchange', 'debit acc-usd 12.50 USD', 'credit acc-eur 11.50 EUR'],
      ['XF', 'fee', 'debit acc-usd 0.25 USD'],
      ['P', 'payment', 'debit acc-eur 10.00 EUR'],
      ['F', 'fee', 'debit acc-eur 1.50 EUR'],
    ]);
  });

  it('is the exchange alone where the payment did not come to be', () => {
    const payout = record(1, 'failed', { fee: '1.50', feeCurrency: 'EUR' }, 'bank-failed');
    const facts = paidFacts({ payout, exchangeAttempts: [exchangeAttempt()], exchange: booked() });
    expect(reported(facts).map(([id]) => id)).toEqual(['X']);
    expect(unclear(facts)).toEqual([]);
  });

  it('is every return, to the account it left from', () => {
    const back = { reference: 'ref', currency: 'EUR', seenAt: SEEN_AT + 1 };
    const returns = [
      { ...back, orderId: 'r-1', amount: '-4.00' },
      { ...back, orderId: 'r-2', amount: '6.00' },
    ];
    expect(reported(paidFacts({ returns })).slice(2)).toEqual([
      ['R', 'return', 'credit acc-eur 4.00 EUR'],
      ['R', 'return', 'credit acc-eur 6.00 EUR'],
    ]);
  });

  it('is a return under one id, also when one that is shown as older comes to light later', () => {
    const back = { reference: 'ref', currency: 'EUR', amount: '4.00' };
    const later = { ...back, orderId: 'r-1', seenAt: SEEN_AT + 9 };
    const older = { ...back, orderId: 'r-2', seenAt: SEEN_AT + 1 };
    const idsOf = (...returns: ReturnSeen[]) =>
      movedBy(paidFacts({ returns })).movements.flatMap(({ kind, id }) => (kind === 'return' ? [id] : []));
    const [known = ''] = idsOf(later);
    expect(idsOf(older, later)[1]).toBe(known);
    expect(new Set(idsOf(older, later)).size).toBe(2);
    expect(known.length).toBeLessThanOrEqual(35);
  });

  it('has no fee of nothing', () => {
    expect(reported(paidFacts({}, { fee: '0.00' })).map(([id]) => id)).toEqual(['P']);
    expect(reported(paidFacts({}, { fee: null })).map(([id]) => id)).toEqual(['P']);
  });
});

describe('what is not known to have moved', () => {
  const open = (change: Partial<MovedFacts>) => paidFacts({ payout: record(1, 'processing'), ...change });

  it.each<[what: string, facts: MovedFacts, unclear: string[][]]>([
    ['a payment under way', open({}), [['payment', 'it was sent, but its outcome is not known yet']]],
    ['a payment that was never sent', open({ attempts: [attempt({ outcome: 'not-sent' })] }), []],
    [
      'an exchange under way',
      open({ attempts: [], exchangeAttempts: [exchangeAttempt({ resolved: null })] }),
      [['exchange', 'it was sent, but its outcome is not known yet']],
    ],
    [
      'an exchange of which the bank does not show what was sold',
      open({ attempts: [], exchangeAttempts: [exchangeAttempt()], exchange: booked({ soldAmount: null }) }),
      [['exchange', 'the bank does not show what was sold']],
    ],
    [
      'an exchange that nobody has seen booked',
      open({ attempts: [], exchangeAttempts: [exchangeAttempt()] }),
      [['exchange', 'the bank does not show what was sold']],
    ],
    [
      'a fee in a currency of no account of the payout',
      paidFacts({}, { feeCurrency: 'GBP' }),
      [['fee', 'it is in a currency for which the payout has no account']],
    ],
    [
      'a fee of half a cent',
      paidFacts({}, { fee: '0.005' }),
      [['fee', 'its amount has more decimals than its currency or the format allows']],
    ],
    [
      'an incident',
      paidFacts({ incidents: [{ kind: 'second-order' satisfies IncidentKind }] }),
      [['payment', INCIDENTS['second-order'].says]],
    ],
  ])('%s', (_what, facts, expected) => {
    expect(unclear(facts)).toEqual(expected);
  });
});
