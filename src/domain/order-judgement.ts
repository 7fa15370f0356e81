import { addDecimals, decimalsEqual } from './money.ts';
import { type ClosedMeaning, type OrderStage, type StatusMeaning, stageMeaning } from './order-status.ts';
import { mayHide, referenceForm } from './reference-form.ts';

/** The facts of a bank order that a payout judges, in our own spelling (interface section 2, Order). */
export interface OrderFacts {
  orderId: string;
  clientOrderId?: string;
  uid?: string;
  type?: string;
  direct?: string;
  /** The bank's word. */
  status: string;
  stage: OrderStage;
  accountId?: string;
  currency?: string;
  amount?: string;
  buyAccountId?: string;
  buyCurrency?: string;
  buyAmount?: string;
  sellAccountId?: string;
  sellCurrency?: string;
  sellAmount?: string;
  rate?: string;
  fee?: string;
  feeCurrency?: string;
}

/** What we sent under a reference, as far as an order record can show it. */
export interface ExpectedOrder {
  kind: 'payment' | 'transfer' | 'exchange';
  reference: string;
  uid: string;
  /** Absent while the bank does not show which account pays: then an order's account proves nothing. Of an exchange the account sold. */
  accountId?: string;
  currency: string;
  amount: string;
  /** Of an exchange, as far as it is known: where the money goes, and what is sold for it. */
  buyAccountId?: string;
  sellCurrency?: string;
}

/**
 * Money that came back under a reference of ours: a record of its own, never the order that was sent. An exchange or a
 * transfer may show its incoming leg as `IN`.
 */
export function isReturn({ type, direct }: { type?: string; direct?: string }): boolean {
  return type === 'REFUND' || (direct === 'IN' && type !== 'FX' && type !== 'TRANSFER');
}

/**
 * The record that a bank may show of a transfer at the account it arrives in, next to the order that was sent: nothing that
 * came back, and no second order.
 */
export function isArrival({ type, direct }: { type?: string; direct?: string }): boolean {
  return type === 'TRANSFER' && direct === 'IN';
}

/** The order shows our reference in another form, and nobody has told us that it is ours. */
export const REFERENCE_FORM = 'form of client_order_id';

/** The order shows a reference that is none of ours, or none at all. */
export const NO_REFERENCE = 'client_order_id';

/**
 * Names of the fields in which an order differs from what was sent under its reference. Absent fields prove nothing: the
 * interface does not show which fields an order type fills. `ownIds` are the order ids that the bank has given in answer
 * to a POST of the reference, and those that the run has followed: such an order is ours in whatever form it shows the reference, but not under another one.
 */
export function orderDifferences(order: OrderFacts, expected: ExpectedOrder, ownIds: readonly string[] = []): string[] {
  const differs: string[] = [];
  const check = (field: string, actual: string | undefined, wanted: string | undefined): void => {
    if (actual !== undefined && wanted !== undefined && actual !== wanted) differs.push(field);
  };
  const form = referenceForm(order.clientOrderId ?? expected.reference, expected.reference);
  if (form === 'other') differs.push(NO_REFERENCE);
  else if (form !== 'as-sent' && !ownIds.includes(order.orderId)) differs.push(REFERENCE_FORM);
  check('transaction_uid', order.uid, expected.uid);
  if (expected.kind !== 'exchange') {
    check('type', order.type, expected.kind === 'payment' ? 'PAYMENT' : 'TRANSFER');
    check('direct', order.direct, 'OUT');
    check('transaction_account', order.accountId, expected.accountId);
    check('transaction_currency', order.currency, expected.currency);
    if (
      order.amount !== undefined &&
      !amountMatches(order.amount, expected.amount, order.feeCurrency === order.currency ? order.fee : undefined)
    ) {
      differs.push('transaction_amount');
    }
  } else {
    check('type', order.type, 'FX');
    check('sell_account', order.sellAccountId, expected.accountId);
    check('sell_currency', order.sellCurrency, expected.sellCurrency);
    check('buy_account', order.buyAccountId, expected.buyAccountId);
    check('buy_currency', order.buyCurrency, expected.currency);
    if (order.buyAmount !== undefined && !decimalsEqual(order.buyAmount, expected.amount)) differs.push('buy_amount');
  }
  return differs;
}

/** Of an order that shows no reference, and has the id of another payout's: one order pays one payout. */
export const ORDER_OF_ANOTHER = 'payout with this order_id';

/**
 * Whether an order moves just what was sent, and does not show under which reference: for all that a list says it may be the one
 * that is looked for, so that a list with it proves no absence.
 */
export const isIndistinct = ({ clientOrderId: shown, ...order }: OrderFacts, expected: ExpectedOrder): boolean =>
  mayHide(shown, expected.reference) && orderDifferences(inListedWords(order), expected).length === 0;

const TYPES: ReadonlySet<string | undefined> = new Set(['PAYMENT', 'TRANSFER', 'FX', 'REFUND']);
const DIRECTS: ReadonlySet<string | undefined> = new Set(['IN', 'OUT']);

/** A word that the interface does not list (section 2) says of no order that it is another one. */
const inListedWords = ({ type, direct, ...order }: OrderFacts): OrderFacts => ({
  ...order,
  ...(TYPES.has(type) && { type }),
  ...(DIRECTS.has(direct) && { direct }),
});

/** Whether the fee is inside `transaction_amount` is not shown: both readings count as equal, nothing else does. */
function amountMatches(actual: string, wanted: string, fee: string | undefined): boolean {
  return decimalsEqual(actual, wanted) || (fee !== undefined && decimalsEqual(actual, addDecimals(wanted, fee)));
}

/** Where an order stands and whether it is ours to believe. */
export interface OrderJudgement {
  meaning: StatusMeaning;
  stage: OrderStage;
  /** The bank's word, for people. */
  status: string;
  orderId: string;
  /** Fields in which the order is not what was sent; not empty means it is not adopted. */
  differences: string[];
  fee?: string;
  feeCurrency?: string;
  /** What an exchange cost in the currency sold. */
  sellAmount?: string;
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
    orderId: order.orderId,
    differences: orderDifferences(order, expected, ownIds),
    fee: order.fee,
    feeCurrency: order.feeCurrency,
    sellAmount: order.sellAmount,
  };
}
