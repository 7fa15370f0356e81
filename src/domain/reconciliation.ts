import { compareDecimals, decimalsEqual } from './money.ts';
import type { PayoutKind } from './names.ts';
import {
  type Difference,
  differencesOf,
  type ExpectedOrder,
  isArrival,
  isReturn,
  type OrderFacts,
} from './order-judgement.ts';
import { type ClosedMeaning, isNoMoney, type StatusMeaning, stageMeaning } from './order-status.ts';
import { isEnd, isUnpaid, type PayoutState, type Reason } from './payout-state.ts';
import { forOperator, type Remedy } from './remedy.ts';
import { DISCREPANCIES, STATEMENT_INCIDENTS } from './statements/discrepancies.ts';

/** What an order is compared with after its end: what was sent, what was booked, and what the fee may be. Pure. */
export interface ExpectedTerms {
  expected: ExpectedOrder;
  /** Order ids that the bank returned for the reference, or that people adopted. */
  ownIds: readonly string[];
  /** As read when the order ended; absent: no money moved, or nobody read it. */
  booked?: BookedValues;
  /** Highest fee that was agreed to, decimal string; absent: no cap. */
  feeAtMost?: string;
  /** Where a transfer arrives. */
  arrivesAt?: { uid: string; accountId: string };
  /** Differences that people accepted when they adopted the order. */
  accepted: readonly AcceptedDifference[];
}

export interface AcceptedDifference extends Pick<Difference, 'field' | 'shown'> {
  orderId: string;
}

/** Of the order with this id only: a record for the other side of an exchange may show a fee of its own. */
export interface BookedValues {
  orderId: string;
  fee?: string;
  feeCurrency?: string;
  sellAmount?: string;
  rate?: string;
}

/** In what the order now differs, without what people accepted; account ids are masked. */
export function changesOf(order: OrderFacts, terms: ExpectedTerms): Difference[] {
  const { expected, accepted } = terms;
  const { order_id: orderId, stage } = order;
  const differs = [
    // It was compared because it is ours, in any form in which the bank shows the reference.
    ...differencesOf(order, isArrival(order) ? arriving(order, terms) : expected, [orderId]),
    ...(isNoMoney(stageMeaning(stage)) ? [] : sinceBooked(order, terms)),
  ];
  const isAccepted = ({ field, shown }: Difference): boolean =>
    accepted.some((it) => it.orderId === orderId && it.field === field && it.shown === shown);
  return differs.map(forPeople).filter((it) => !isAccepted(it));
}

/** The interface does not show whose `transaction_uid` the arriving side of a transfer has: that of either user is right. */
function arriving({ transaction_uid: shown }: OrderFacts, { expected, arrivesAt }: ExpectedTerms): ExpectedOrder {
  const { uid = expected.uid, accountId } = arrivesAt ?? {};
  return { ...expected, uid: shown === expected.uid ? shown : uid, accountId, direct: 'IN' };
}

function sinceBooked(order: OrderFacts, { booked, feeAtMost }: ExpectedTerms): Difference[] {
  if (booked?.orderId !== order.order_id) return [];
  const { fee, fee_currency, sell_amount: sold, rate } = order;
  const differs: Difference[] = [];
  const check = (field: string, ours: string | undefined, shown: string | undefined): void => {
    if (ours !== undefined && shown !== undefined && !decimalsEqual(ours, shown)) differs.push({ field, ours, shown });
  };
  check('sell_amount', booked.sellAmount, sold);
  check('rate', booked.rate, rate);
  if (fee === undefined) return differs;
  const shown = withCurrency(fee, fee_currency);
  const { feeCurrency: currency = fee_currency } = booked;
  const isChanged = booked.fee !== undefined && !(decimalsEqual(booked.fee, fee) && currency === fee_currency);
  if (isChanged) differs.push({ field: 'fee', ours: withCurrency(booked.fee ?? '', booked.feeCurrency), shown });
  if (feeAtMost !== undefined && compareDecimals(fee, feeAtMost) === 1) {
    differs.push({ field: FEE_CAP, ours: feeAtMost, shown });
  }
  return differs;
}

/** The fee that the bank booked is above the highest one that was agreed to. */
const FEE_CAP = 'fee above its cap';

const withCurrency = (amount: string, currency = ''): string => `${amount} ${currency}`.trim();

/** Bounds a key of the store, of which PostgreSQL takes some 2,700 bytes. */
const SHOWN_MAX = 200;

/** As stored and shown: account ids masked, nothing that steers a terminal, and no value long enough to fill one. */
export function forPeople({ field, ...values }: Difference): Difference {
  const { ours, shown } = field.endsWith('_account') ? masked(values) : values;
  return { field, ours, shown: shown.slice(0, SHOWN_MAX).replaceAll(/\p{C}/gu, '?') };
}

/** Enough of each end to distinguish the two, and at least four characters. */
function masked({ ours, shown }: Omit<Difference, 'field'>): Omit<Difference, 'field'> {
  const longest = Math.max(ours.length, shown.length);
  let kept = 4;
  while (kept < longest && ours.slice(-kept) === shown.slice(-kept)) kept += 1;
  const [a, b] = [ours, shown].map((value) => (value.length > kept ? `***${value.slice(-kept)}` : value));
  return { ours: a ?? '', shown: b ?? '' };
}

/** How our side of a difference came about; other fields are what was sent. */
export const OURS_IS: Readonly<Record<string, string>> = {
  status: 'stored',
  fee: 'booked',
  sell_amount: 'booked',
  rate: 'booked',
  [FEE_CAP]: 'agreed',
  ...Object.fromEntries(Object.values(DISCREPANCIES).map(({ field }) => [field, 'recorded'])),
};

/** Both values, as fields of the bank: `transaction_amount: sent 12.00, shown 120.00`; of several fields each. */
export const differenceText = (difference: Difference): string =>
  fieldsOf(difference)
    .map(
      ({ field, ours, shown }) =>
        `${field}: ${OURS_IS[field] ?? 'sent'} ${ours || 'nothing'}, shown ${shown || 'nothing'}`,
    )
    .join('; ');

const SEPARATOR = ' | ';

/** One difference that lists the fields of an order, so that the order is one incident. Of many fields each value is cut shorter. */
function together(differs: readonly Difference[]): Difference {
  const each = Math.floor(SHOWN_MAX / differs.length);
  const joined = (of: (it: Difference) => string): string =>
    differs.map((it) => of(it).slice(0, each).replaceAll(SEPARATOR, ' ')).join(SEPARATOR);
  const [only, another] = differs;
  return only !== undefined && another === undefined
    ? only
    : {
        field: differs.map(({ field }) => field).join(SEPARATOR),
        ours: joined((it) => it.ours),
        shown: joined((it) => it.shown),
      };
}

/** Each field of a difference that lists several. */
export function fieldsOf({ field, ours, shown }: Difference): Difference[] {
  const [before, now] = [ours.split(SEPARATOR), shown.split(SEPARATOR)];
  const fields = field.split(SEPARATOR);
  if (fields.length === 1) return [{ field, ours, shown }];
  return fields.map((name, at) => ({ field: name, ours: before[at] ?? '', shown: now[at] ?? '' }));
}

/**
 * What the bank's orders say about ended payouts: returns (money that came back), and incidents, which contradict what was
 * stored. Pure; a fact never changes an end.
 */

/** Kinds of incidents, and the text about each for people. An open payout has one only about its booked exchange. */
export const INCIDENTS = {
  'second-order': forOperator(
    'the payout is completed, or its exchange booked, and the bank shows another order under the same reference',
    'Have the bank recall the surplus order; then `payouts acknowledge INCIDENT` records that it was dealt with.',
    'Nothing: it stays open until somebody acknowledges it.',
  ),
  'order-after-end': forOperator(
    'the payout ended unpaid, and the bank shows an order under its reference that may take money',
    'Ask the bank what happened to the order, and do not pay the row again before you know; then `payouts acknowledge INCIDENT`.',
    'Nothing: no retry of the payout is sent while the order may have moved money.',
  ),
  'end-contradicted': forOperator(
    'the bank now shows a different outcome for the order of this payout than when it ended',
    'Ask the bank which is true; then `payouts acknowledge INCIDENT`.',
    'Nothing: the stored end is kept, and the contradiction is reported beside it.',
  ),
  'order-changed': forOperator(
    'the bank now shows an order of this payout with another value than was sent, booked or agreed',
    'Ask the bank which value is true, and correct your books if it is theirs; then `payouts acknowledge INCIDENT`.',
    'Nothing: what was stored is kept, and no retry of the payout is sent.',
  ),
  ...STATEMENT_INCIDENTS,
  returned: forOperator(
    'the bank has sent the money of the completed payout back',
    'Find out why it came back: often the account is closed or its number wrong. `payouts acknowledge INCIDENT` agrees that it may be paid again; then `payouts retry ID`, or submit the corrected row under a new document id.',
    'Nothing: it stays open until somebody acknowledges it, and the payout is not paid again.',
  ),
} satisfies Record<string, Remedy>;

export type IncidentKind = keyof typeof INCIDENTS;

export interface Incident {
  kind: IncidentKind;
  /** Reference of the payout, even if the order is its exchange. */
  reference: string;
  orderId: string;
  /** Absent where the order itself is the incident. Another value is another incident. */
  differs?: Difference;
}

/** What the bank shows of the order of an incident, when it was recorded. */
export type ShownOrder = Pick<
  OrderFacts,
  'status' | 'created_at' | 'transaction_amount' | 'transaction_currency' | 'buy_amount' | 'buy_currency'
>;

export function shownOrder(order: OrderFacts): ShownOrder {
  const { status, created_at, transaction_amount, transaction_currency, buy_amount, buy_currency } = order;
  return { status, created_at, transaction_amount, transaction_currency, buy_amount, buy_currency };
}

export type WhatDiffers = Pick<Incident, 'kind' | 'differs'>;

/** The text of an incident: its kind, and both values. */
export const incidentText = ({ kind, differs }: WhatDiffers): string =>
  differs === undefined ? INCIDENTS[kind].says : `${INCIDENTS[kind].says} (${differenceText(differs)})`;

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

/**
 * Facts from all orders that the bank shows under the reference of a payout or a transfer. Without `terms`, only statuses are
 * compared.
 */
export function factsOfPayment(
  payout: StoredPayout,
  orders: readonly OrderFacts[],
  closedMeans: ClosedMeaning,
  terms?: ExpectedTerms,
): Fact[] {
  const own = payout.orderId === null ? [] : [payout.orderId];
  const sent = isEnd(payout.state) ? sentAmong(orders, own) : [];
  const isOwn = ({ order_id: orderId }: OrderFacts): boolean => own.includes(orderId);
  const incidents = incidentsAmong(payout, sent, closedMeans, isOwn, paymentAgrees);
  const compared = orders.filter((order) => isArrival(order) || terms?.ownIds.includes(order.order_id) === true);
  const changes = isEnd(payout.state) ? changesAmong(payout, compared, terms) : [];
  return [...returnsAmong(payout, orders, closedMeans, own), ...incidents, ...changes];
}

/** Orders whose values are not those of `terms`, each once with all its fields. An order that people had before them as they closed the payout is not compared. */
function changesAmong(
  payout: StoredPayout,
  orders: readonly OrderFacts[],
  terms: ExpectedTerms | undefined,
): Incident[] {
  const { reference, reason } = payout;
  if (terms === undefined || (reason?.code === 'closed-by-operator' && terms.booked === undefined)) return [];
  return [...Map.groupBy(orders, ({ order_id }) => order_id)].flatMap(([orderId, some]): Incident[] => {
    const differs = new Map(some.flatMap((order) => changesOf(order, terms)).map((it) => [JSON.stringify(it), it]));
    return differs.size === 0
      ? []
      : [{ kind: 'order-changed', reference, orderId, differs: together([...differs.values()]) }];
  });
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
    const { order_id: orderId, status, stage } = order;
    const { reference, state } = payout;
    const meaning = stageMeaning(stage, closedMeans);
    if (isOwn(order)) {
      const differs = forPeople({ field: 'status', ours: isEnd(state) ? state : 'booked', shown: status });
      return agrees(payout, meaning) ? [] : [{ kind: 'end-contradicted', reference, orderId, differs }];
    }
    // Open, paid or unclear, it may take money.
    if (isNoMoney(meaning)) return [];
    return [{ kind: isUnpaid(state) ? 'order-after-end' : 'second-order', reference, orderId }];
  });
}

/** Returns, whether or not the payout has ended. An order that we sent is no return, under any type the bank now shows. */
function returnsAmong(
  { reference, uid }: StoredPayout,
  orders: readonly OrderFacts[],
  closedMeans: ClosedMeaning,
  own: readonly string[],
): Return[] {
  return orders
    .filter((order) => isReturn(order) && !own.includes(order.order_id))
    .filter(({ stage }) => !isNoMoney(stageMeaning(stage, closedMeans)))
    .filter(
      // The receiving side of a payment between two users is in the other user's list: that is no return.
      ({ type, transaction_uid: of }) => type === 'REFUND' || of === undefined || of === uid,
    )
    .map(({ order_id: orderId, transaction_amount: amount, transaction_currency: currency }) => {
      return { kind: 'return', reference, orderId, amount, currency };
    });
}

/** The orders to compare with an end. */
const sentAmong = (orders: readonly OrderFacts[], own: readonly string[]): OrderFacts[] =>
  orders.filter((order) => own.includes(order.order_id) || !(isReturn(order) || isArrival(order)));

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
  /** The store is an older copy without its attempts: whether it was booked is not known. */
  isForgotten?: boolean;
}

/**
 * Facts from all orders under the reference of an exchange: of a payout, or stand-alone. A bank may show one record for each side
 * (interface section 2, FX), so only orders of the same side are compared with each other. Nobody follows a booked exchange while
 * its payout is open, so it is judged then too.
 */
export function factsOfExchange(
  payout: StoredPayout,
  exchange: StoredExchange,
  orders: readonly OrderFacts[],
  closedMeans: ClosedMeaning,
  terms?: ExpectedTerms,
): Fact[] {
  const { accepted, isBooked } = exchange;
  const sent = isBooked || isEnd(payout.state) ? sentAmong(orders, accepted) : [];
  const meaningOf = (order: OrderFacts): StatusMeaning => stageMeaning(order.stage, closedMeans);
  const kindOfOrder = ({ direct = '', transaction_currency: currency = '' }: OrderFacts): string =>
    `${direct} ${currency}`;
  const orderKinds = [...Map.groupBy(sent, kindOfOrder).values()];
  const own = new Set(orderKinds.flatMap((orderKind) => ownOf(orderKind, accepted, meaningOf) ?? []));
  const incidents = incidentsAmong(payout, sent, closedMeans, (order) => own.has(order), agreesWith(payout, exchange));
  const changes = changesAmong(payout, [...own], terms);
  return [...returnsAmong(payout, orders, closedMeans, accepted), ...incidents, ...changes];
}

/** The side's own order: sorted by id, so that every pass chooses the same one if the store knows none. */
function ownOf(
  orderKind: readonly OrderFacts[],
  accepted: readonly string[],
  meaningOf: (order: OrderFacts) => StatusMeaning,
): OrderFacts | undefined {
  const sorted = orderKind.toSorted((a, b) => (a.order_id < b.order_id ? -1 : 1));
  return (
    sorted.find(({ order_id }) => accepted.includes(order_id)) ??
    sorted.find((order) => !isNoMoney(meaningOf(order))) ??
    sorted[0]
  );
}

function agreesWith({ kind, state }: StoredPayout, { isBooked, isForgotten }: StoredExchange): typeof paymentAgrees {
  if (kind === 'exchange') return paymentAgrees;
  if (isBooked) return isEnd(state) ? bookedAgrees : isNotUndone;
  return isForgotten === true ? forgottenAgrees : paymentAgrees;
}

/** However its payout ended, a booked exchange is not undone. */
const bookedAgrees = (_payout: StoredPayout, meaning: StatusMeaning): boolean => meaning === 'paid';

/** The record of the other side may follow later. */
const isNotUndone = (_payout: StoredPayout, meaning: StatusMeaning): boolean => !isNoMoney(meaning);

/** It may have been booked, and stays so if the payout then fails. */
const forgottenAgrees = (payout: StoredPayout, meaning: StatusMeaning): boolean =>
  paymentAgrees(payout, meaning) || (meaning === 'paid' && payout.reason?.code !== 'exchange-failed');

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
