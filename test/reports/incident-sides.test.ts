import { expect, it } from 'vitest';
import { describedIncident, incidentSides } from '../../src/reports/incident-sides.ts';
import type { IncidentRecord } from '../../src/store/store.ts';
import { record } from './records.ts';

const AT_0611 = Date.UTC(2026, 4, 12, 6, 11);
const row = record(1, 'completed', { amount: '400.02', orderId: 'ord-1', endedAt: AT_0611 });
const order = { status: 'FAILED', transaction_amount: '400.02', transaction_currency: 'EUR' };
const incident = (change: Partial<IncidentRecord>): IncidentRecord => ({
  ...{ id: 'inc-1', kind: 'end-contradicted', reference: row.reference, orderId: 'ord-1', order },
  ...{ seenAt: AT_0611 + 480_000, acknowledged: null },
  ...change,
});
const WHOM = /^400\.02 EUR to R\*\*\* \*\*\*66, document INV-1: /;

it('an end that the bank contradicts is told with what was recorded, what is shown, and when', () => {
  const text = incidentSides(incident({ differs: { field: 'status', ours: 'completed', shown: 'FAILED' } }), row);
  expect(text).toMatch(WHOM);
  expect(text).toContain('we recorded paid by order ord-1 at 2026-05-12 06:11 UTC; the bank shows order ord-1');
  expect(text).toMatch(/ as FAILED, as seen at 2026-05-12 06:19 UTC$/);
});

it('money that came back is told with its amount and order, and leads to the retry of its row', () => {
  const returned = incident({ kind: 'returned', orderId: 'ord-2', order: { ...order, status: 'COMPLETED' } });
  expect(incidentSides(returned, row)).toContain('the bank shows 400.02 EUR back by order ord-2 as COMPLETED');
  expect(describedIncident(returned, row).todo).toMatch(/`payouts acknowledge inc-1` .*`payouts retry \S+ --rows 1`/);
});

it('a value that differs is told on both sides, in words, with figures as people write them', () => {
  const differs = { field: 'transaction_amount', ours: '1400.02', shown: '14000.20' };
  const text = incidentSides(incident({ kind: 'order-changed', differs }), row);
  expect(text).toMatch(/: amount: we sent 1,400\.02, the bank shows 14,000\.20, for order ord-1, as seen at .* UTC$/);
  const several = { field: 'fee | sell_account', ours: '1.00 EUR | 10002000', shown: '3.00 EUR | ' };
  expect(incidentSides(incident({ kind: 'order-changed', differs: several }), row)).toContain(
    'fee: we booked 1.00 EUR, the bank shows 3.00 EUR; account sold from: we sent 10002000, the bank shows nothing, for',
  );
});

it('a moment is written as its reader writes it', () => {
  const text = incidentSides(
    incident({ differs: { field: 'status', ours: 'completed', shown: 'FAILED' } }),
    row,
    (at) => (at === AT_0611 ? 'at its end' : 'later'),
  );
  expect(text).toMatch(/ at at its end; .*, as seen at later$/);
});

it('without the payout or the order it says what it knows', () => {
  expect(incidentSides(incident({}), undefined)).toMatch(/different outcome/);
  expect(incidentSides(incident({ kind: 'second-order', orderId: 'ord-9', order: null }), row)).toContain(
    'the bank shows order ord-9, as seen',
  );
});

it('what a statement shows is a booking, not an order of the payout', () => {
  const differs = { field: 'booked amount', ours: '1400.02 EUR', shown: '400.02 EUR' };
  const booked = incident({ kind: 'booked-otherwise', order: null, differs });
  const both = 'booked amount: we recorded 1,400.02 EUR, the statement shows 400.02 EUR';
  expect(incidentSides(booked, row)).toMatch(new RegExp(`${WHOM.source}${both}$`));
  const unexplained = { ...booked, differs: { field: 'debit', ours: '', shown: '1250.00 EUR' } };
  expect(incidentSides(unexplained, undefined)).toBe('debit: we recorded nothing, the statement shows 1,250.00 EUR');
});
