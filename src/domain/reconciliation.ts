import type { PayoutKind } from './names.ts';
import { isArrival, isReturn, type OrderFacts } from './order-judgement.ts';
import { type ClosedMeaning, isNoMoney, type StatusMeaning, stageMeaning } from './order-status.ts';
import { isEnd, type PayoutState, type Reason } from './payout-state.ts';
import { forOperator, type Remedy } from './remedy.ts';

/**
 * What the bank's orders say about ended payouts: returns (money that came back), and incidents, which contradict what was
 * stored. Pure; a fact never changes an end.
 */

/** Kinds of incidents, and what people are told about each. */
export const INCIDENTS = {
  'second-order': forOperator(
    'the payout is completed, and the bank shows another order under its reference',
    'Have the bank recall the surplus order; then `payouts acknowledge INCIDENT --reason TEXT` records that it was dealt with.',
    'Nothing: it stays open until somebody acknowledges it.',
  ),
  'order-after-end': forOperator(
    'the payout ended unpaid, and the bank shows an order under its reference that may take money',
    'Ask the bank what happened to the order, and do not pay the row again before you know; then `payouts acknowledge INCIDENT --reason TEXT`.',
    'Nothing: no retry of the payout is sent while the order may have moved money.',
  ),
  'end-contradicted': forOperator(
    'the bank now shows a different outcome for the order of this payout than when it ended',
    'Ask the bank which is true; then `payouts acknowledge INCIDENT --reason TEXT`.',
    'Nothing: the stored end is kept, and the contradiction is reported beside it.',
  ),
} satisfies Record<string, Remedy>;

export type IncidentKind = keyof typeof INCIDENTS;

export interface Incident {
  kind: IncidentKind;
  /** Reference of the payout, even if the order is its exchange. */
  reference: string;
  orderId: string;
}

export interface Return {
  kind: 'return';
  reference: string;
  orderId: string;
  /** Absent if the order does not show them. */
  amount: string | undefined;
  currency: string | undefined;
}

export interface StoredPayout {
  kind: PayoutKind;
  reference: string;
  uid: string;
  state: PayoutState;
  orderId: string | null;
  reason: Reason | null;
}

export type Fact = Return | Incident;

/** Facts from all orders that the bank shows under the reference of a payout or a transfer. */
export function factsOfPayment(
  payout: StoredPayout,
  orders: readonly OrderFacts[],
  closedMeans: ClosedMeaning,
): Fact[] {
  const isOwn = ({ order_id: orderId }: OrderFacts): boolean => orderId === payout.orderId;
  const incidents = incidentsAmong(payout, sentAmong(payout, orders), closedMeans, isOwn, paymentAgrees);
  return [...returnsAmong(payout, orders, closedMeans), ...incidents];
}

/** `agrees`: whether the end of a payout agrees with what its own order means now. */
function incidentsAmong(
  payout: StoredPayout,
  sent: readonly OrderFacts[],
  closedMeans: ClosedMeaning,
  isOwn: (order: OrderFacts) => boolean,
  agrees: (payout: StoredPayout, meaning: StatusMeaning) => boolean,
): Incident[] {
  return sent.flatMap((order): Incident[] => {
    const meaning = stageMeaning(order.stage, closedMeans);
    if (isOwn(order) ? agrees(payout, meaning) : isNoMoney(meaning)) return [];
    // An order that is not the payout's own: open, paid or unclear, it may take money.
    const strange = payout.state === 'completed' ? 'second-order' : 'order-after-end';
    const kind = isOwn(order) ? 'end-contradicted' : strange;
    return [{ kind, reference: payout.reference, orderId: order.order_id }];
  });
}

/** Returns, whether or not the payout has ended. */
function returnsAmong(payout: StoredPayout, orders: readonly OrderFacts[], closedMeans: ClosedMeaning): Return[] {
  const { reference, uid } = payout;
  return orders
    .filter((order) => isReturn(order) && !isNoMoney(stageMeaning(order.stage, closedMeans)))
    .filter(
      // The receiving side of a payment between two users is in the other user's list: that is no return.
      ({ type, transaction_uid: of }) => type === 'REFUND' || of === undefined || of === uid,
    )
    .map(({ order_id: orderId, transaction_amount: amount, transaction_currency: currency }) => {
      return { kind: 'return', reference, orderId, amount, currency };
    });
}

/** The orders to compare with an end; none for an open payout, whose own workflow follows its orders. */
const sentAmong = ({ state, orderId }: StoredPayout, orders: readonly OrderFacts[]): OrderFacts[] =>
  isEnd(state) ? orders.filter((order) => !isReturn(order) && (order.order_id === orderId || !isArrival(order))) : [];

const paymentAgrees = (payout: StoredPayout, meaning: StatusMeaning): boolean =>
  payout.state === 'completed' ? meaning === 'paid' : isNoMoney(meaning) || isClosed(payout, meaning);

/** An operator has clarified the unclear status: it is no incident while it stays unclear. */
function isClosed({ reason }: StoredPayout, meaning: StatusMeaning): boolean {
  return meaning === 'unclear' && reason?.code === 'closed-by-operator';
}

export interface StoredExchange {
  /** Order ids that attempts were answered with; empty after a lost answer. */
  accepted: readonly string[];
  /** Whether it was seen as paid. */
  isBooked: boolean;
}

/**
 * Facts from all orders under the reference of an exchange: of a payout, or stand-alone. A bank may show one record for each leg
 * (interface section 2, FX), so only orders of the same leg are compared with each other.
 */
export function factsOfExchange(
  payout: StoredPayout,
  { accepted, isBooked }: StoredExchange,
  orders: readonly OrderFacts[],
  closedMeans: ClosedMeaning,
): Fact[] {
  const meaningOf = (order: OrderFacts): StatusMeaning => stageMeaning(order.stage, closedMeans);
  const legOf = ({ direct = '', transaction_currency: currency = '' }: OrderFacts): string => `${direct} ${currency}`;
  const legs = [...Map.groupBy(sentAmong(payout, orders), legOf).values()];
  const own = new Set(legs.map((leg) => ownOf(leg, accepted, meaningOf)));
  const agrees = payout.kind === 'exchange' ? paymentAgrees : isBooked ? bookedAgrees : exchangeAgrees;
  const incidents = incidentsAmong(payout, legs.flat(), closedMeans, (order) => own.has(order), agrees);
  return [...returnsAmong(payout, orders, closedMeans), ...incidents];
}

/** The leg's own order: sorted by id, so that every pass chooses the same one if the store knows none. */
function ownOf(
  leg: readonly OrderFacts[],
  accepted: readonly string[],
  meaningOf: (order: OrderFacts) => StatusMeaning,
): OrderFacts | undefined {
  const sorted = leg.toSorted((a, b) => (a.order_id < b.order_id ? -1 : 1));
  return (
    sorted.find(({ order_id }) => accepted.includes(order_id)) ??
    sorted.find((order) => !isNoMoney(meaningOf(order))) ??
    sorted[0]
  );
}

/** A payout's exchange is followed to its end before the payout ends, and stays booked if the payout then fails. */
const exchangeAgrees = (payout: StoredPayout, meaning: StatusMeaning): boolean =>
  paymentAgrees(payout, meaning) || (meaning === 'paid' && payout.reason?.code !== 'exchange-failed');

/** However its payout ended, a booked exchange is not undone. */
const bookedAgrees = (_payout: StoredPayout, meaning: StatusMeaning): boolean => meaning === 'paid';

/** Result of comparing stored payouts with the bank's orders. */
export interface ReconciliationFindings {
  /** Orders read, returns included. */
  orders: number;
  returns: number;
  incidents: number;
  /** Orders that are under no reference of ours. */
  unaskedOrders: number;
  /** Number of facts not known before. */
  recorded: number;
  /** Incidents to show; only the first ones if there are very many. */
  shown: readonly Incident[];
}

export const NOTHING_FOUND: ReconciliationFindings = {
  orders: 0,
  returns: 0,
  incidents: 0,
  unaskedOrders: 0,
  recorded: 0,
  shown: [],
};

const INCIDENTS_SHOWN = 50;

/** An exchange is found in the lists of both its currencies: its incident counts once as long as it is among those shown. */
export function addFindings(a: ReconciliationFindings, b: ReconciliationFindings): ReconciliationFindings {
  const known = new Set(a.shown.map((incident) => JSON.stringify(incident)));
  const news = b.shown.filter((incident) => !known.has(JSON.stringify(incident)));
  return {
    orders: a.orders + b.orders,
    returns: a.returns + b.returns,
    incidents: a.incidents + b.incidents - (b.shown.length - news.length),
    unaskedOrders: a.unaskedOrders + b.unaskedOrders,
    recorded: a.recorded + b.recorded,
    shown: [...a.shown, ...news].slice(0, INCIDENTS_SHOWN),
  };
}

/** Progress and findings of a pass over all keys (a user and a currency). */
export interface ReconciliationPass {
  /** The last key compared; null before the first one. */
  after: { uid: string; currency: string } | null;
  keys: number;
  /** Keys whose orders the bank did not show in time; the next pass compares them again. */
  unreadKeys: number;
  findings: ReconciliationFindings;
}

/** A pass for people: what was counted, and how many. */
export function countsOf({ keys, unreadKeys, findings }: ReconciliationPass): [name: string, count: number][] {
  return [
    ['users and currencies', keys],
    ['without an answer', unreadKeys],
    ['orders read', findings.orders],
    ['returns', findings.returns],
    ['incidents', findings.incidents],
    ['orders we did not send', findings.unaskedOrders],
    ['returns and incidents seen for the first time', findings.recorded],
  ];
}
