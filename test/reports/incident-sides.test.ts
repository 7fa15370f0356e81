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

it('a value that differs is told on both sides', () => {
  const differs = { field: 'fee', ours: '1.00 EUR', shown: '3.00 EUR' };
  const text = incidentSides(incident({ kind: 'order-changed', differs }), row);
  expect(text).toContain('we recorded fee 1.00 EUR; the bank shows 3.00 EUR for order ord-1');
  const several = { field: 'fee | rate', ours: '1.00 EUR | 0.92', shown: '3.00 EUR | 0.93' };
  expect(incidentSides(incident({ kind: 'order-changed', differs: several }), row)).toContain(
    'fee: booked 1.00 EUR, shown 3.00 EUR; rate: booked 0.92, shown 0.93',
  );
});

it('without the payout or the order it says what it knows', () => {
  expect(incidentSides(incident({}), undefined)).toMatch(/different outcome/);
  expect(incidentSides(incident({ kind: 'second-order', orderId: 'ord-9', order: null }), row)).toContain(
    'the bank shows order ord-9, as seen',
  );
});

it('what a statement shows is a booking, not an order of the payout', () => {
  const text = incidentSides(incident({ kind: 'not-booked', order: null }), row);
  expect(text).toMatch(/: the payout is completed, and the statements of its account show no booking for it$/);
});
