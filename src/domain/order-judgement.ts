import { addDecimals, compareDecimals, decimalsEqual } from './money.ts';
import type { OrderKind } from './names.ts';
import { type ClosedMeaning, type NoMoney, type OrderStage, type StatusMeaning, stageMeaning } from './order-status.ts';
import type { Reason, UnpaidState } from './payout-state.ts';
import { because, bookedAboveCap, type ReasonCode } from './reasons.ts';
import { mayHide, type ReferenceForm, referenceForm } from './reference-form.ts';

/** Takes the place of the status of an order that a read by its id does not find. */
export const NOT_FOUND = 'NOT_FOUND';

/** What a payout judges of a bank's order record (interface section 2, Order); fields that its type does not fill are absent. */
export interface OrderFacts {
  order_id: string;
  client_order_id?: string;
  transaction_uid?: string;
  type?: string;
  direct?: string;
  /** The status as the bank words it. */
  status: string;
  stage: OrderStage;
  /** Epoch ms of the bank's clock. */
  created_at?: number;
  transaction_account?: string;
  transaction_currency?: string;
  transaction_amount?: string;
  buy_account?: string;
  buy_currency?: string;
  buy_amount?: string;
  sell_account?: string;
  sell_currency?: string;
  sell_amount?: string;
  rate?: string;
  fee?: string;
  fee_currency?: string;
  /** Members that are shown but cannot be read, of those that decide. */
  unreadable?: readonly string[];
}

/** What we sent under a reference, as far as an order can show it. */
export interface ExpectedOrder {
  kind: OrderKind;
  reference: string;
  /** What this bank is known to show in its place; absent: the reference. */
  shownAs?: string;
  uid: string;
  /**
   * Absent while the bank does not show which account pays: the account is then not compared. For an exchange, the account sold.
   */
  accountId?: string;
  currency: string;
  amount: string;
  /** As quoted, for an order that shows none; absent if it is in another currency. */
  fee?: string;
  /** For an exchange, as far as known: the account the money goes to, and the currency sold. */
  buyAccountId?: string;
  sellCurrency?: string;
  /** Of the record that a bank may show where a transfer arrives, perhaps less the fee; absent: `OUT`. */
  direct?: 'IN';
}

/** A field of an order with both values, for people: what was sent, booked or agreed, and what the bank shows now. */
export interface Difference {
  field: string;
  /** Empty: nothing of it is known, or shown. */
  ours: string;
  shown: string;
}

/**
 * Money that came back under a reference of ours is an order record of its own, never the order we sent. An exchange or a
 * transfer may show its incoming record as `IN`.
 */
export function isReturn({ type, direct }: { type?: string; direct?: string }): boolean {
  return type === 'REFUND' || (direct === 'IN' && type !== 'FX' && type !== 'TRANSFER');
}

/**
 * The record that a bank may show, beside the order we sent, at the account where a transfer arrives: neither a return nor a
 * second order.
 */
export function isArrival({ type, direct }: { type?: string; direct?: string }): boolean {
  return type === 'TRANSFER' && direct === 'IN';
}

/** The order shows our reference in another form, and its id is not one of `ownIds`. */
export const REFERENCE_FORM = 'form of client_order_id';

/** The order shows a reference that is not ours, or none. */
export const NO_REFERENCE = 'client_order_id';

/** `referenceForm`, where the learned spelling of a reference is as good as the reference. */
export const shownForm = (shown: string, { reference, shownAs }: ExpectedOrder): ReferenceForm =>
  shown === shownAs ? 'as-sent' : referenceForm(shown, reference);

/**
 * Fields in which an order differs from what was sent under its reference. Absent fields prove nothing: the interface does not
 * show which fields an order type fills. `ownIds` are the order ids that the bank returned for a POST of the reference, and those
 * that the run has followed: such an order is ours in any form of the reference, but not under another reference.
 */
export function differencesOf(
  order: OrderFacts,
  expected: ExpectedOrder,
  ownIds: readonly string[] = [],
): Difference[] {
  const differs: Difference[] = [];
  const differ = (field: string, ours: string, shown = ''): number => differs.push({ field, ours, shown });
  /** One that is shown and cannot be read does not count as "not shown". */
  const isHidden = (field: string, wanted: string): boolean => {
    const isUnreadable = order.unreadable?.includes(field) === true;
    if (isUnreadable) differ(unreadable(field), wanted);
    return isUnreadable;
  };
  const check = (field: string, actual: string | undefined, wanted: string | undefined): void => {
    if (wanted === undefined || isHidden(field, wanted)) return;
    if (actual !== undefined && actual !== wanted) differ(field, wanted, actual);
  };
  isHidden(NO_REFERENCE, expected.reference);
  const form = shownForm(order.client_order_id ?? expected.reference, expected);
  if (form === 'other') differ(NO_REFERENCE, expected.reference, order.client_order_id);
  else if (form !== 'as-sent' && !ownIds.includes(order.order_id)) {
    differ(REFERENCE_FORM, expected.reference, order.client_order_id);
  }
  check('transaction_uid', order.transaction_uid, expected.uid);
  if (expected.kind !== 'exchange') {
    check('type', order.type, expected.kind === 'payment' ? 'PAYMENT' : 'TRANSFER');
    check('direct', order.direct, expected.direct ?? 'OUT');
    const { transaction_amount: amount, transaction_currency: currency } = order;
    check('transaction_account', order.transaction_account, expected.accountId);
    check('transaction_currency', currency, expected.currency);
    const shownFee = order.fee_currency === currency ? order.fee : undefined;
    const fee = order.fee === undefined ? expected.fee : shownFee;
    isHidden('transaction_amount', expected.amount);
    const isLess = expected.direct === 'IN' && amount !== undefined && amountMatches(expected.amount, amount, fee);
    if (amount !== undefined && !amountMatches(amount, expected.amount, fee) && !isLess) {
      differ('transaction_amount', expected.amount, amount);
    }
  } else {
    check('type', order.type, 'FX');
    check('sell_account', order.sell_account, expected.accountId);
    check('sell_currency', order.sell_currency, expected.sellCurrency);
    check('buy_account', order.buy_account, expected.buyAccountId);
    check('buy_currency', order.buy_currency, expected.currency);
    isHidden('buy_amount', expected.amount);
    isHidden('sell_amount', '');
    const { buy_amount: bought } = order;
    if (bought !== undefined && !decimalsEqual(bought, expected.amount)) differ('buy_amount', expected.amount, bought);
  }
  return differs;
}

/** The names of those fields. */
export const orderDifferences = (...compared: Parameters<typeof differencesOf>): string[] =>
  differencesOf(...compared).map(({ field }) => field);

const unreadable = (field: string): string => `${field} (not readable)`;

/** The order has the order_id of another payout: one order pays one payout. */
export const ORDER_OF_ANOTHER = 'payout with this order_id';

/**
 * Whether an order may move what was sent but its reference is unclear: it may be the one searched for, so a list that holds
 * it proves no absence.
 */
export const isIndistinct = ({ client_order_id: shown, ...order }: OrderFacts, expected: ExpectedOrder): boolean =>
  mayHide(shown, expected.reference) && orderDifferences(certainly(order, expected), expected).length === 0;

const TYPES: ReadonlySet<string | undefined> = new Set(['PAYMENT', 'TRANSFER', 'FX', 'REFUND']);
const DIRECTS: ReadonlySet<string | undefined> = new Set(['IN', 'OUT']);

/**
 * Drops what does not make an order another one: a `type` or `direct` that the interface does not list (section 2), and an amount
 * from which a fee was taken or to which one was added. A fee that is not shown may be as high as the amount, and a member that
 * cannot be read may hold what was sent.
 */
function certainly(order: OrderFacts, { currency, amount: wanted }: ExpectedOrder): OrderFacts {
  const { type, direct, transaction_amount, buy_amount, unreadable: _unreadable, ...rest } = order;
  const { fee = wanted, fee_currency = currency } = order;
  const isOther = (amount = wanted): boolean => fee_currency !== currency || !differByAtMost(amount, wanted, fee);
  return {
    ...rest,
    ...(TYPES.has(type) && { type }),
    ...(DIRECTS.has(direct) && { direct }),
    ...(isOther(transaction_amount) && { transaction_amount }),
    ...(isOther(buy_amount) && { buy_amount }),
  };
}

/** Of decimals that are not negative. */
const differByAtMost = (a: string, b: string, most: string): boolean =>
  compareDecimals(a, addDecimals(b, most)) !== 1 && compareDecimals(b, addDecimals(a, most)) !== 1;

/** The interface does not show whether `transaction_amount` includes the fee: both readings match, nothing else does. */
function amountMatches(actual: string, wanted: string, fee: string | undefined): boolean {
  return decimalsEqual(actual, wanted) || (fee !== undefined && decimalsEqual(actual, addDecimals(wanted, fee)));
}

/** What an order's stage means, and whether the order can be accepted as ours. */
export interface OrderJudgement {
  meaning: StatusMeaning;
  stage: OrderStage;
  /** The status as the bank words it, for people. */
  status: string;
  orderId: string;
  /** Fields in which the order differs from what was sent; it is adopted only if there are none. */
  differences: string[];
  fee?: string;
  feeCurrency?: string;
  /** What an exchange cost, in the sold currency. */
  sellAmount?: string;
}

/** What the payout needs to know of its paid order. */
export interface PaidOrder extends Pick<OrderJudgement, 'orderId' | 'status' | 'fee' | 'feeCurrency'> {
  /** The exchange was booked at a rate above the cap, or at one that cannot be compared. */
  aboveCap?: boolean;
  /** Booked beside quoted amounts of such an exchange, for people. */
  bookedRate?: string;
}

/** `ownIds`: see `orderDifferences`. */
export function judgeOrder(
  order: OrderFacts,
  expected: ExpectedOrder,
  closedMeans: ClosedMeaning,
  ownIds: readonly string[] = [],
): OrderJudgement {
  return {
    meaning: stageMeaning(order.stage, closedMeans),
    stage: order.stage,
    status: order.status,
    orderId: order.order_id,
    differences: orderDifferences(order, expected, ownIds),
    fee: order.fee,
    feeCurrency: order.fee_currency,
    sellAmount: order.sell_amount,
  };
}

/** How people had an order rejected at the bank through us: by a rejection, or by a cancel, which is passed on as one. */
export type RejectedAs = 'reject' | 'cancel';

/** What the end of its order means for a payout, a transfer or an exchange: paid. One booked above the cap says so. */
export const paidEnd = (order: PaidOrder) => ({
  state: 'completed' as const,
  reason: order.aboveCap === true ? bookedAboveCap(order) : null,
});

/** The same without money. `ofExchange`: of the exchange before a payment. */
export function unpaidEnd(
  { meaning, rejectedAs }: { meaning: NoMoney; rejectedAs?: RejectedAs },
  ofExchange: boolean,
): { state: UnpaidState; reason: Reason } {
  const end = (state: UnpaidState, code: ReasonCode, detail?: string) => ({ state, reason: because(code, detail) });
  if (rejectedAs === 'cancel' && (ofExchange || meaning !== 'failed')) return end('cancelled', 'cancelled-by-request');
  if (ofExchange) return end('failed', 'exchange-failed', `order ${meaning}`);
  switch (meaning) {
    case 'rejected':
      return end('rejected', rejectedAs === 'reject' ? 'approval-rejected' : 'bank-rejected');
    case 'cancelled':
      return end('cancelled', 'bank-cancelled');
    case 'failed':
      return end('failed', 'bank-failed');
  }
}

/** An exchange is never undone automatically: the reason for an unpaid end says that the money is in another currency. */
export const besideExchange = ({ code, message }: Reason, isBooked: boolean): Reason =>
  isBooked ? { code, message: `${message}; the exchange stays as booked` } : { code, message };
