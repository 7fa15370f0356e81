import type { Difference } from '../order-judgement.ts';
import { forOperator, type Remedy } from '../remedy.ts';
import type { Discrepancy, DiscrepancyKind } from './booked.ts';

const ACKNOWLEDGE = 'then `payouts acknowledge INCIDENT`';
const STAYS_OPEN = 'Nothing: a later statement that explains it closes it.';

/** Incidents that statements open: where the bank's books and ours differ, and somebody must act. */
export const STATEMENT_INCIDENTS = {
  'not-booked': forOperator(
    'the payout is completed, and the statements of its account show no booking for it',
    `Ask the bank where the money is, and do not pay the row again before you know; ${ACKNOWLEDGE}.`,
    STAYS_OPEN,
  ),
  'booked-unpaid': forOperator(
    'the payout is not paid by our records, and a statement shows that its money has left',
    `Do not pay the row again. If the payout waits for an operator, resolve it with the order of the bank; if it has ended, ask the bank for the money or correct your books; ${ACKNOWLEDGE}.`,
    'Nothing: no retry of the payout is sent.',
  ),
  'booked-otherwise': forOperator(
    'a statement shows another booking for the payout, or for its whole file, than was paid',
    `Ask the bank which is right, and correct your books if it is theirs; ${ACKNOWLEDGE}.`,
    STAYS_OPEN,
  ),
  'booking-unexplained': forOperator(
    'a statement shows a booking that belongs to no payout',
    `Say which payout it belongs to with \`payouts match ENTRY REFERENCE\`; if it belongs to none, find out who has moved the money; ${ACKNOWLEDGE}.`,
    STAYS_OPEN,
  ),
} satisfies Record<string, Remedy>;

type StatementIncident = keyof typeof STATEMENT_INCIDENTS;

/** In words for lists (`says`), and the name of what differs (`field`). */
export const DISCREPANCIES: Readonly<
  Record<DiscrepancyKind, { says: string; field: string; incident?: StatementIncident }>
> = {
  'not-booked': { says: 'paid and not booked', field: 'booking', incident: 'not-booked' },
  'booked-not-paid': { says: 'booked and not paid', field: 'booking', incident: 'booked-unpaid' },
  'late-booking': { says: 'booked after the payout had ended unpaid', field: 'booking', incident: 'booked-unpaid' },
  'other-amount': { says: 'booked with another amount', field: 'booked amount', incident: 'booked-otherwise' },
  'other-currency': {
    says: 'booked in another currency',
    field: 'booked amount and currency',
    incident: 'booked-otherwise',
  },
  'other-account': {
    says: 'booked on another account',
    field: 'amount booked on another account',
    incident: 'booked-otherwise',
  },
  'other-fee': { says: 'booked with another fee', field: 'booked fee', incident: 'booked-otherwise' },
  'booked-twice': { says: 'booked twice', field: 'amount booked in total', incident: 'booked-otherwise' },
  'booking-undone': {
    says: 'booked, and undone by the bank',
    field: 'amount booked back',
    incident: 'booked-otherwise',
  },
  'other-sum': {
    says: 'booked as one for a whole file, with another sum',
    field: 'sum of the file',
    incident: 'booked-otherwise',
  },
  'unattributed-return': {
    says: 'came back, and no reference says from which payout',
    field: 'return',
    incident: 'booking-unexplained',
  },
  'unexplained-debit': {
    says: 'left the account, and belongs to no payout',
    field: 'debit',
    incident: 'booking-unexplained',
  },
  // Money that others send to the account is no business of the payouts.
  'unexplained-credit': { says: 'came to the account, and belongs to no payout', field: 'credit' },
};

/** Kinds that the comparison of order lists already reports as incidents of its own. An order that nobody here has sent is not among them. */
const REPORTED_FROM_ORDERS: ReadonlySet<DiscrepancyKind> = new Set([
  ...(['booked-not-paid', 'late-booking', 'other-amount', 'other-currency', 'other-account', 'other-fee'] as const),
  ...(['booked-twice', 'booking-undone'] as const),
]);

/** The incident that a discrepancy opens; undefined: nobody must act, or another comparison has opened one. */
export const incidentOf = ({ kind }: Discrepancy, isFromOrders: boolean): StatementIncident | undefined =>
  isFromOrders && REPORTED_FROM_ORDERS.has(kind) ? undefined : DISCREPANCIES[kind].incident;

/** Both values, as an incident stores them. */
export const differenceOf = (
  kind: DiscrepancyKind,
  { ours, booked }: { ours: string | undefined; booked: string | undefined },
): Difference => ({ field: DISCREPANCIES[kind].field, ours: ours ?? '', shown: booked ?? '' });
