import { minuteOf } from '../domain/display.ts';
import { visible } from '../domain/finding.ts';
import { groupedAmount } from '../domain/money.ts';
import type { Difference } from '../domain/order-judgement.ts';
import { type EndState, isEnd } from '../domain/payout-state.ts';
import { fieldsOf, INCIDENTS, OURS_IS } from '../domain/reconciliation.ts';
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

/**
 * What we recorded and what the bank shows, with amounts, payee and times; what kind of incident it is, is said beside it. `written`:
 * how a moment is written.
 */
export function incidentSides(
  incident: IncidentRecord,
  row: PayoutRecord | undefined,
  written: (at: number) => string = minuteOf,
): string {
  const { kind, differs, orderId } = incident;
  // What a statement shows is a booking, not an order.
  const isBooked = kind in STATEMENT_INCIDENTS;
  const both =
    differs === undefined
      ? []
      : [
          fieldsOf(differs)
            .map((it) => fieldText(it, isBooked))
            .join('; '),
        ];
  if (row === undefined) return visible(both[0] ?? INCIDENTS[kind].says);
  const { instruction, documentId } = row;
  const paid = `${groupedAmount(instruction.amount)} ${instruction.currency} to ${payeeText(row)}, document ${documentId}`;
  const seen = `as seen at ${written(incident.seenAt)}`;
  if (isBooked) return visible([paid, ...both].join(': '));
  if (differs !== undefined && differs.field !== 'status') {
    return visible(`${paid}: ${both.join('')}, for order ${orderId}, ${seen}`);
  }
  return visible(`${paid}: ${recorded(row, written)}; ${shown(incident, written)}, ${seen}`);
}

/** Fields of the bank's orders in words; others are words already. */
const FIELDS: Readonly<Record<string, string>> = {
  transaction_amount: 'amount',
  transaction_currency: 'currency',
  transaction_account: 'account',
  transaction_uid: 'user',
  client_order_id: 'reference',
  direct: 'direction',
  sell_amount: 'amount sold',
  sell_currency: 'currency sold',
  sell_account: 'account sold from',
  buy_amount: 'amount bought',
  buy_currency: 'currency bought',
  buy_account: 'account bought into',
};

/** `fee: we booked 1.00 EUR, the bank shows 3.00 EUR` */
function fieldText({ field, ours, shown }: Difference, isBooked: boolean): string {
  const by = isBooked ? 'the statement' : 'the bank';
  const of = (value: string): string => (value === '' ? 'nothing' : AMOUNT.test(value) ? groupedAmount(value) : value);
  return `${FIELDS[field] ?? field}: we ${OURS_IS[field] ?? 'sent'} ${of(ours)}, ${by} shows ${of(shown)}`;
}

/** Account numbers have no decimals. */
const AMOUNT = /^-?\d+(?:\.\d+| [A-Z]{3}|\.\d+ [A-Z]{3})$/;

const ENDS: Readonly<Record<EndState, string>> = {
  completed: 'paid',
  failed: 'failed, nothing paid',
  rejected: 'rejected, nothing paid',
  cancelled: 'cancelled, nothing paid',
};

function recorded({ state, orderId, endedAt, stateSince }: PayoutRecord, written: (at: number) => string): string {
  const order = orderId === null ? '' : ` by order ${orderId}`;
  const as = isEnd(state) ? ENDS[state] : 'booked';
  return `we recorded ${as}${order} at ${written(endedAt ?? stateSince)}`;
}

/** Begins the id of a booking on a statement. */
const STATEMENT = 'stm-';

function shown({ differs, order, orderId, kind }: IncidentRecord, written: (at: number) => string): string {
  const { status = differs?.shown, created_at: at } = order ?? {};
  const [amount, currency] = [
    order?.transaction_amount ?? order?.buy_amount,
    order?.transaction_currency ?? order?.buy_currency,
  ];
  const money = amount === undefined ? '' : ` ${groupedAmount(amount.replace(/^-/, ''))} ${currency ?? ''}`.trimEnd();
  if (kind === 'returned' && orderId.startsWith(STATEMENT)) {
    const day = at === undefined ? '' : ` of ${dayIn(at, 'UTC')}`;
    return `the bank shows${money} back by booking ${orderId}${day}${status === undefined ? '' : ` (${status})`}`;
  }
  const made = at === undefined ? '' : ` of ${written(at)}`;
  const what =
    kind === 'returned'
      ? `${money.trimStart() || 'money'} back by order ${orderId}`
      : `order ${orderId}${money && ` over${money}`}`;
  return `the bank shows ${what}${made}${status === undefined ? '' : ` as ${status}`}`;
}
