import { minuteOf } from '../domain/display.ts';
import { visible } from '../domain/finding.ts';
import { groupedAmount } from '../domain/money.ts';
import { type EndState, isEnd } from '../domain/payout-state.ts';
import { differenceText, fieldsOf, INCIDENTS, incidentText } from '../domain/reconciliation.ts';
import { STATEMENT_INCIDENTS } from '../domain/statements/discrepancies.ts';
import { dayIn } from '../domain/time.ts';
import type { IncidentRecord, PayoutRecord } from '../store/store.ts';
import { payeeText } from './masked.ts';
import { incidentRemedy } from './next-step.ts';

/** An incident with what people need to act on it. */
export interface DescribedIncident extends IncidentRecord {
  /** What we recorded and what the bank shows, in one sentence; the payee masked. */
  sides: string;
  todo: string;
  byItself: string;
  batchId: string | null;
}

/** `row`: absent for an incident about a payout that the store does not know. */
export function describedIncident(incident: IncidentRecord, row: PayoutRecord | undefined): DescribedIncident {
  const { todo, byItself } = incidentRemedy(incident, row);
  return { ...incident, sides: incidentSides(incident, row), todo, byItself, batchId: row?.batchId ?? null };
}

/** What we recorded and what the bank shows, with amounts, payee and times. */
export function incidentSides(incident: IncidentRecord, row: PayoutRecord | undefined): string {
  if (row === undefined) return incidentText(incident);
  const { instruction, documentId } = row;
  const { kind, differs } = incident;
  const paid = `${groupedAmount(instruction.amount)} ${instruction.currency} to ${payeeText(row)}, document ${documentId}`;
  // What a statement shows is a booking, not an order.
  if (kind in STATEMENT_INCIDENTS || (differs !== undefined && fieldsOf(differs).length > 1))
    return `${visible(paid)}: ${INCIDENTS[kind].says}${differs === undefined ? '' : `; ${differenceText(differs)}`}`;
  return `${visible(paid)}: ${recorded(incident, row)}; ${shown(incident)}, as seen at ${minuteOf(incident.seenAt)}`;
}

const ENDS: Readonly<Record<EndState, string>> = {
  completed: 'paid',
  failed: 'failed, nothing paid',
  rejected: 'rejected, nothing paid',
  cancelled: 'cancelled, nothing paid',
};

function recorded({ differs }: IncidentRecord, { state, orderId, endedAt, stateSince }: PayoutRecord): string {
  if (differs !== undefined && differs.field !== 'status')
    return `we recorded ${differs.field} ${differs.ours || 'none'}`;
  const order = orderId === null ? '' : ` by order ${orderId}`;
  const as = isEnd(state) ? ENDS[state] : 'booked';
  return `we recorded ${as}${order} at ${minuteOf(endedAt ?? stateSince)}`;
}

/** Begins the id of a booking on a statement. */
const STATEMENT = 'stm-';

function shown({ differs, order, orderId, kind }: IncidentRecord): string {
  if (differs !== undefined && differs.field !== 'status')
    return `the bank shows ${differs.shown || 'none'} for order ${orderId}`;
  const { status = differs?.shown, created_at: at } = order ?? {};
  const [amount, currency] = [
    order?.transaction_amount ?? order?.buy_amount,
    order?.transaction_currency ?? order?.buy_currency,
  ];
  const money = amount === undefined ? '' : ` ${groupedAmount(amount.replace(/^-/, ''))} ${currency ?? ''}`.trimEnd();
  if (kind === 'returned' && orderId.startsWith(STATEMENT)) {
    const day = at === undefined ? '' : ` of ${dayIn(at, 'UTC')}`;
    return visible(
      `the bank shows${money} back by booking ${orderId}${day}${status === undefined ? '' : ` (${status})`}`,
    );
  }
  const made = at === undefined ? '' : ` of ${minuteOf(at)}`;
  const what =
    kind === 'returned'
      ? `${money.trimStart() || 'money'} back by order ${orderId}`
      : `order ${orderId}${money && ` over${money}`}`;
  return visible(`the bank shows ${what}${made}${status === undefined ? '' : ` as ${status}`}`);
}
