import { readIfThere } from '../bank/bank-orders.ts';
import { attemptsListedFrom } from '../bank/bank-time.ts';
import { isBankError, isTooLarge, undefinedIf } from '../bank/errors.ts';
import { isPathId } from '../bank/path.ts';
import type { Order } from '../bank/schemas/orders.ts';
import { Superseded } from '../domain/claim.ts';
import type { Assessment } from '../domain/gates.ts';
import { exceedsSlippage } from '../domain/money.ts';
import { mainOrderKindOf, type OrderKind } from '../domain/names.ts';
import {
  besideExchange,
  type Difference,
  differencesOf,
  isArrival,
  isReturn,
  judgeOrder,
  NOT_FOUND,
  ORDER_OF_ANOTHER,
  type OrderFacts,
  type OrderJudgement,
  type PaidOrder,
  paidEnd,
  type RejectedAs,
  unpaidEnd,
} from '../domain/order-judgement.ts';
import { type ClosedMeaning, isNoMoney, isTerminal, type NoMoney } from '../domain/order-status.ts';
import { isUnpaid, type Reason, type StoredState } from '../domain/payout-state.ts';
import { forPeople } from '../domain/reconciliation.ts';
import { referenceForm } from '../domain/reference-form.ts';
import { paidShown, type SentOrder } from '../domain/sent-order.ts';
import type { ExchangeProgress } from '../domain/submission.ts';
import { type Caller, rowAsRecorded } from '../store/claimed-row.ts';
import type { PayoutRecord } from '../store/store.ts';
import { recordedAssessment } from './assess.ts';
import { rejectedAs } from './decide-order.ts';
import type { ActivityDeps } from './deps.ts';
import { learnSpelling } from './find.ts';
import { bookedExchange } from './note-orders.ts';
import { closePayout, type OrderKindInput, type ResolvedOrders, type SentForOrder, sentForOrder } from './payout.ts';
import { listsOfOrder, putIntoOpenSet } from './send.ts';

export type ReadOrderInput = OrderKindInput & {
  orderId: string;
  closedMeans: ClosedMeaning;
} & (OtherOrder | FollowedOrder | WatchedOrder);

/** Another order under the reference: it is judged, and nothing is stored. */
interface OtherOrder {
  as: 'other';
}

/** The order that the run follows. What it ends as is stored here, so that it costs no event of its own. */
interface FollowedOrder {
  as: 'followed';
  /** Fields in which the order may differ, because two people have said that it is the one. */
  despite?: readonly string[];
  /** Another order under the reference may take money: people decide first, in spite of what this one shows. */
  isContested?: true;
  /** Why people are asked if the order awaits its audit; absent: they are not. */
  asks?: Reason;
  /** How the run had the order rejected. */
  rejectedAs?: RejectedAs;
  /** The order took no money, as a read some time before has shown too. */
  confirms?: { meaning: NoMoney; resolved: ResolvedOrders };
  /** Highest slippage of an exchange, as a fraction. */
  maxSlippage?: string;
  /** After a paid exchange, assess the payout in the same activity. */
  thenAssess?: ExchangeProgress;
}

/**
 * The watch reads it for the run, which is not yet notified of an end: the order stays in the open set, only "paid" is stored, and
 * not if the run has moved on from `processing`.
 */
interface WatchedOrder {
  as: 'watched';
}

export interface OrderRead extends OrderJudgement, PaidOrder {
  /** Epoch ms until which the bank waits for the audit. */
  expiredAt?: number;
  /** How people had an order that took no money rejected through us, in any run. */
  rejectedAs?: RejectedAs;
  assessment?: Assessment;
}

const ABSENT = { meaning: 'open', stage: 'open', status: NOT_FOUND } as const;
/** Only people can find out what became of an order whose id no call can name. */
const UNASKABLE = {
  meaning: 'unclear',
  stage: 'unknown',
  status: 'not readable, because the bank is not asked for an order id like this one',
} as const;

const TOO_LARGE = { ...UNASKABLE, status: 'not readable, because the answer of the bank is too large' } as const;

function asTooLarge(error: unknown): 'too-large' {
  if (isTooLarge(error)) return 'too-large';
  throw error;
}

/**
 * Reads one order (GET) and judges it against what was sent. "Not found" for a known order id proves nothing (lag, scope) and reads
 * as still open.
 */
export async function readOrder(
  deps: ActivityDeps,
  caller: Caller,
  input: ReadOrderInput,
  signal?: AbortSignal,
): Promise<OrderRead> {
  const { orderKind, orderId, closedMeans } = input;
  const despite = (input.as === 'followed' && input.despite) || [];
  const row = await rowAsRecorded(deps, input.claim, caller.runId, input.recorded);
  const sentOrder = await sentForOrder(deps, row, input);
  const { reference, attempts, ownIds, sent, expected } = sentOrder;
  const shown = await readIfThere(deps, orderId, { signal }).catch(asTooLarge);
  if (shown === 'too-large') return { ...TOO_LARGE, orderId, differences: [] };
  if (shown === undefined) {
    // An id that only a signal has named proves nothing: anybody may have sent it.
    const isUnaskable = !isPathId(orderId) && ownIds.includes(orderId);
    return { ...(isUnaskable ? UNASKABLE : ABSENT), orderId, differences: [] };
  }
  const isAnothers = shown.client_order_id !== undefined && referenceForm(shown.client_order_id, reference) === 'other';
  const order = (isAnothers && (await ownUnderSameId(deps, row, orderKind, sentOrder, { orderId, signal }))) || shown;
  await learnSpelling(deps.store, { reference, attempts }, order);
  const judgement = judgeOrder(order, expected, closedMeans, ownIds);
  if (await isMisnamed(deps, order, orderId)) judgement.differences.push('order_id');
  judgement.differences = judgement.differences.filter((field) => !despite.includes(field));
  if (order.client_order_id === undefined && (await isOfAnother(deps, row, orderId))) {
    judgement.differences.push(ORDER_OF_ANOTHER);
  }
  const read: OrderRead = { ...judgement, expiredAt: sent?.expiredAt };
  if (judgement.differences.length > 0 || input.as === 'other') return read;
  if (despite.length > 0) await keepAccepted(deps, row, order, differencesOf(order, expected, ownIds));
  const { meaning } = judgement;
  if (isNoMoney(meaning)) {
    const ways = [input.as === 'followed' ? input.rejectedAs : undefined, await rejectedAs(deps.store, orderId)];
    read.rejectedAs = ways.includes('cancel') ? 'cancel' : ways.find((way) => way !== undefined);
  }
  if (!isTerminal(meaning)) await watch(deps, row, orderKind, { reference, attempts, sent, orderId });
  const isBooked = orderKind === 'exchange' && meaning === 'paid';
  if (isBooked) {
    await deps.store.recordBookedExchange(bookedExchange(row, order, deps.now()));
    const bookedRate = rateAboveCap(sent, judgement, input.as === 'followed' ? input.maxSlippage : undefined);
    Object.assign(read, { aboveCap: bookedRate !== undefined, bookedRate });
  }
  const becomes = becomesOf(input, row, read);
  if (becomes !== undefined) await storeEnd(deps, caller, input, judgement, { ...becomes, order });
  if (!isBooked) return read;
  // The exchange of a payout has an end of its own, which stays, however the payout ends. One booked above the cap stays
  // unresolved until people accept it, so that a new run reads it and asks again.
  if (!read.aboveCap) {
    const upTo = Math.max(0, ...attempts.map(({ attempt }) => attempt));
    await deps.store.resolveAttempts(reference, { upTo, as: 'paid' });
  }
  await deps.store.closeOrder(reference);
  const thenAssess = input.as === 'followed' ? input.thenAssess : undefined;
  return thenAssess === undefined ? read : { ...read, assessment: await recordedAssessment(deps, row, thenAssess) };
}

/** A bank that has given an order another id may show it by the earlier one too; an id under which it shows none is a wrong answer. */
async function isMisnamed(deps: ActivityDeps, { order_id: shown }: Order, asked: string): Promise<boolean> {
  return shown !== asked && (await readIfThere(deps, shown).catch(asTooLarge)) === undefined;
}

/**
 * A bank may give two orders one id, and then shows one of them by it. The other is the one listed under our reference; one that
 * the list shows without an amount is not believed.
 */
async function ownUnderSameId(
  deps: ActivityDeps,
  row: PayoutRecord,
  orderKind: OrderKind,
  { reference, attempts, sent }: SentForOrder,
  { orderId, signal }: { orderId: string; signal: AbortSignal | undefined },
): Promise<Order | undefined> {
  const isOurs = ({ order_id, client_order_id: shown, transaction_amount, buy_amount, ...order }: Order): boolean =>
    order_id === orderId &&
    shown !== undefined &&
    referenceForm(shown, reference) !== 'other' &&
    (transaction_amount ?? buy_amount) !== undefined &&
    !isReturn(order) &&
    !isArrival(order);
  const from = attemptsListedFrom(deps, row.createdAt, attempts);
  const options = { pageSize: deps.settings.pageSize, signal, enough: (page: readonly Order[]) => page.some(isOurs) };
  for (const list of await listsOfOrder(deps.bank, row, orderKind, sent)) {
    const scan = await undefinedIf(isBankError, () => deps.bank.orders.listAll({ ...list, from }, options));
    const own = scan?.orders.find(isOurs);
    if (own !== undefined) return own;
  }
  return undefined;
}

/** The order as read, if it is paid and nothing in it differs from what was sent. */
export function asPaid(read: OrderRead): PaidOrder | undefined {
  const { meaning, differences, orderId, status, fee, feeCurrency, aboveCap, bookedRate } = read;
  return meaning === 'paid' && differences.length === 0
    ? { orderId, status, fee, feeCurrency, aboveCap, bookedRate }
    : undefined;
}

/** Later comparisons take what two people have accepted for what was sent, until the bank shows yet another value. */
const keepAccepted = (
  { store }: ActivityDeps,
  { reference }: PayoutRecord,
  { order_id: orderId }: OrderFacts,
  differences: readonly Difference[],
): Promise<void> =>
  store.acceptDifferences(differences.map(forPeople).map(({ field, shown }) => ({ reference, orderId, field, shown })));

/** A bank that takes one payout for a repetition of another answers with the other's order, whose id was returned for that one first. */
async function isOfAnother({ store }: ActivityDeps, { reference }: PayoutRecord, orderId: string): Promise<boolean> {
  const sharing = (await store.payoutsOfOrders([orderId])).map((payout) => payout.reference);
  if (sharing.every((other) => other === reference)) return false;
  const acceptedBy = (await store.attemptsOf([...new Set([reference, ...sharing])])).find(
    (made) => made.orderId === orderId,
  );
  return acceptedBy?.reference !== reference;
}

/** Puts a followed order into the open set, in case a search found it or an older copy of the store has forgotten it. */
async function watch(
  deps: ActivityDeps,
  row: PayoutRecord,
  orderKind: OrderKind,
  { reference, attempts, sent, orderId }: Omit<SentForOrder, 'ownIds' | 'expected'> & { orderId: string },
): Promise<void> {
  const lists = await listsOfOrder(deps.bank, row, orderKind, sent);
  const since = attempts[0]?.sentAt ?? row.createdAt;
  await putIntoOpenSet(deps, row, reference, { lists, since });
  await deps.store.noteOrder(reference, { orderId });
}

/** How an exchange was booked, if above the cap or not comparable; undefined: within the cap. */
function rateAboveCap(
  sent: SentOrder | undefined,
  { sellAmount }: OrderJudgement,
  maxSlippage = '0',
): string | undefined {
  if (sellAmount === undefined) return 'not certain: the bank does not show what was sold';
  // Forgotten by an older copy of the store.
  if (sent === undefined || !('quotedSellAmount' in sent))
    return `not certain: ${sellAmount} sold, its quote is not known`;
  const { quotedSellAmount: quoted, sellCurrency } = sent;
  return exceedsSlippage(quoted, sellAmount, maxSlippage)
    ? `${sellAmount} ${sellCurrency} sold, ${quoted} ${sellCurrency} quoted, cap ${maxSlippage}`
    : undefined;
}

/** The state to store for what was read; undefined: none. An exchange before a payment ends no payout. */
function becomesOf(
  input: Exclude<ReadOrderInput, OtherOrder>,
  { kind }: PayoutRecord,
  { meaning, ...read }: OrderRead,
): StoredState | undefined {
  const endsPayout = input.orderKind === mainOrderKindOf(kind);
  if (input.as === 'watched') return endsPayout && meaning === 'paid' ? paidEnd(read) : undefined;
  const { isContested, asks, confirms } = input;
  if (isContested) return undefined;
  if (meaning === 'awaiting-audit') return asks && { state: 'awaiting-bank-approval', reason: asks };
  if (!endsPayout) return undefined;
  if (meaning === 'paid') return paidEnd(read);
  if (!isNoMoney(meaning) || meaning !== confirms?.meaning) return undefined;
  const { state, reason } = unpaidEnd({ ...read, meaning }, false);
  return { state, reason: besideExchange(reason, confirms.resolved.exchange?.as === 'paid') };
}

const TO_NOTIFY = { staysOpen: true, from: 'processing' } as const;

/**
 * Stores the end. `closePayout` stores one without money, and refuses if something else may have moved money; the fee that such an
 * order shows was not taken either.
 */
async function storeEnd(
  deps: ActivityDeps,
  caller: Caller,
  { claim, orderKind, ...input }: Exclude<ReadOrderInput, OtherOrder>,
  { meaning, orderId, fee, feeCurrency }: OrderJudgement,
  { state, reason, order }: StoredState & { order: OrderFacts },
): Promise<void> {
  if (isNoMoney(meaning) && isUnpaid(state) && reason !== null) {
    const resolved = input.as === 'followed' ? input.confirms?.resolved : undefined;
    await closePayout(deps, caller, { claim, state, reason, resolved: resolved ?? {} });
    return;
  }
  const { reference, term } = claim;
  const paid = paidShown(orderKind, order);
  const change = {
    state,
    reason,
    orderId,
    fee,
    feeCurrency,
    term,
    paid,
    ...(input.as === 'watched' && TO_NOTIFY),
    at: deps.now(),
  };
  if (!(await deps.store.changePayout(reference, change))) throw new Superseded();
}
