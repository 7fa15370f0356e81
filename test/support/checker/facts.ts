import type {
  AcceptedInstruction,
  BankOrder,
  Observation,
  ReceivedPost,
  RecordedAttempt,
  ReportedRow,
} from './observation.ts';
import { expectedReference } from './references.ts';

/** One broken rule. The sentence holds references, order ids and statuses, no names or account numbers. */
export interface Violation {
  invariant: `I${number}`;
  /** Reference of the payout; null where it is about the whole run. */
  reference: string | null;
  message: string;
}

/** One accepted instruction with everything that happened under its two references. */
export interface PayoutFacts {
  instruction: AcceptedInstruction;
  row: ReportedRow | undefined;
  /** What ends the row: of a document that is an exchange, the exchange. */
  payment: ReferenceFacts;
  /** What comes before it. */
  exchange: ReferenceFacts;
}

export interface ReferenceFacts {
  reference: string;
  /** Orders that were asked for under it; refunds are none. */
  orders: BankOrder[];
  posts: ReceivedPost[];
  attempts: RecordedAttempt[];
}

export interface Facts extends Observation {
  payouts: PayoutFacts[];
}

export function factsOf(observation: Observation): Facts {
  const orders = groupBy(observation.orders, (order) => (order.type === 'REFUND' ? null : askedAs(order)));
  const posts = groupBy(observation.posts, referencePosted);
  const attempts = groupBy(observation.attempts, ({ reference }) => reference);
  const rows = new Map(observation.rows.map((row) => [row.reference, row]));
  const under = (reference: string): ReferenceFacts => ({
    reference,
    orders: orders.get(reference) ?? [],
    posts: posts.get(reference) ?? [],
    attempts: attempts.get(reference) ?? [],
  });
  const payouts = observation.accepted.map((instruction) => {
    const [last, before] =
      instruction.kind === 'exchange' ? (['exchange', 'payment'] as const) : (['payment', 'exchange'] as const);
    const payment = under(expectedReference(instruction, last));
    const exchange = under(expectedReference(instruction, before));
    return { instruction, row: rows.get(payment.reference), payment, exchange };
  });
  return { ...observation, payouts };
}

/** The reference that an order was asked for under, as far as the runner knows how the bank has changed it. */
export const askedAs = ({ askedAs: asked, reference }: BankOrder): string | null => asked ?? readAs(reference);

/** A bank may change case or pad a reference: it is still that reference to those who have to distinguish two payments. */
const readAs = (reference: string | null): string | null => reference?.trim().toLowerCase() ?? null;

/** The reference an order was asked for under; null for writes that name none. */
export function referencePosted({ route, body }: ReceivedPost): string | null {
  const asksForOrder = route === 'payment' || route === 'fx' || route === 'transfer';
  return asksForOrder && typeof body?.reference === 'string' ? body.reference : null;
}

export function groupBy<T>(items: readonly T[], keyOf: (item: T) => string | null): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const key = keyOf(item);
    if (key === null) continue;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return groups;
}

export const NO_MONEY: ReadonlySet<string> = new Set(['REJECTED', 'CANCELLED', 'FAILED']);
const LISTED: ReadonlySet<string> = new Set([
  ...NO_MONEY,
  ...['ACCEPTED', 'WAIT_FOR_AUDIT', 'SUBMITTING', 'SUBMITTED', 'COMPLETED', 'APPROVED'],
  ...['APPROVING', 'REJECTING', 'CANCELLING', 'CLOSED'],
]);

export type MoneyState = 'live' | 'paid' | 'no-money' | 'unclear';

/** What the last status of an order says about its money; a status outside the interface says nothing. */
export function moneyStateOf({ statuses }: BankOrder, { settings }: Observation): MoneyState {
  return moneyStateOfStatus(statuses.at(-1)?.status ?? '', settings.closedMeans);
}

export function moneyStateOfStatus(status: string, closedMeans: Observation['settings']['closedMeans']): MoneyState {
  if (NO_MONEY.has(status)) return 'no-money';
  if (status === 'COMPLETED') return 'paid';
  if (status === 'CLOSED') return ({ paid: 'paid', failed: 'no-money', unclear: 'unclear' } as const)[closedMeans];
  return LISTED.has(status) ? 'live' : 'unclear';
}

export const END_STATES: ReadonlySet<string> = new Set(['completed', 'failed', 'rejected', 'cancelled']);
