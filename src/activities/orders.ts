import type { Order } from '../api/schemas/orders.ts';
import type { Assessment } from '../domain/assessment.ts';
import { type Claim, Superseded } from '../domain/claim.ts';
import { exceedsSlippage } from '../domain/money.ts';
import {
  type ExpectedOrder,
  isArrival,
  isReturn,
  judgeOrder,
  type OrderFacts,
  type OrderJudgement,
  orderDifferences,
} from '../domain/order-judgement.ts';
import { type ClosedMeaning, isNoMoney, isTerminal } from '../domain/order-status.ts';
import { isEnd, type StoredState } from '../domain/payout-state.ts';
import { bookedAboveCap } from '../domain/reasons.ts';
import { referenceForm } from '../domain/reference-form.ts';
import { expectedOrder, type LegKind, type SentOrder } from '../domain/sent-order.ts';
import { orderInForce, SENDER_LIFE_MS, unsent } from '../domain/submission.ts';
import type { SwitchScope } from '../domain/switch-scope.ts';
import { touchedBy } from '../domain/switches.ts';
import type { ActivityDeps } from '../services/deps.ts';
import { orderFacts, readIfThere } from '../services/reconciliation/bank-orders.ts';
import { clocksDisagree, listedFrom } from '../services/reconciliation/bank-time.ts';
import { sharedScans } from '../services/reconciliation/order-scans.ts';
import { legReference } from '../services/sending/claimed-row.ts';
import { listsOfLeg, putIntoOpenSet } from '../services/sending/open-set.ts';
import type { PayoutRecord, SendAttempt } from '../store/store.ts';
import { type ExchangeProgress, recordedAssessment } from './assess.ts';
import { rowOf } from './caller.ts';
import { withHeartbeats } from './heartbeats.ts';
import { closePayout, type SettledLegs } from './records.ts';
import { reading } from './to-failure.ts';
import { openSet } from './watch-lease.ts';

/** One of the orders of a payout. */
export interface LegInput {
  claim: Claim;
  leg: LegKind;
  /** What the row should show. */
  recorded?: StoredState;
  /** Order ids that the run knows of, whatever the store has forgotten. */
  placedIds?: readonly string[];
}

export interface ReadOrderInput extends LegInput {
  orderId: string;
  closedMeans: ClosedMeaning;
  /**
   * What the payout becomes by what the order turns out to mean. Written to the store in the same activity, so that it costs no
   * event of its own.
   */
  becomes?: Partial<Record<OrderJudgement['meaning'], StoredState>>;
  /** What the run has settled of what it sent, for an end without money. */
  settled?: SettledLegs;
  /** Highest worsening of the rate of an exchange, as a fraction. */
  maxSlippage?: string;
  /** Read the payout itself again in the same activity once the order is paid: what an exchange was made for. */
  thenAssess?: ExchangeProgress;
}

export interface OrderRead extends OrderJudgement {
  /** Until when (epoch ms) the bank waits for its audit. */
  expiredAt?: number;
  /** The exchange was booked at a rate beyond the cap, or at one that cannot be compared. */
  aboveCap?: boolean;
  assessment?: Assessment;
}

export interface FindOrderInput extends LegInput {
  /** Epoch ms: orders created since then, widened by the clock skew; the attempts recorded count as well. */
  since: number;
}

/** What one look through the lists saw. */
export interface OrderLook {
  orderIds: string[];
  /** Names of the fields in which an order found is not what was sent. */
  differences: string[];
  /** Orders that show the reference in another form, whose id no answer has told: a conflict, never "absent". */
  nearMisses: number;
  stable: boolean;
  pagesRead: number;
  ordersRead: number;
  /** Order ids known to be ours: while there is one, absence is never proven. */
  accepted: string[];
  /** Some recorded attempt was answered with "already exists". */
  exists: boolean;
  /** Numbers of the attempts that their senders have recorded as not sent or refused; absent in a look of an earlier release. */
  unsent?: number[];
  /** Numbers of all recorded attempts: without its record nothing is sent. Absent in a look of an earlier release. */
  recorded?: number[];
  /** The bank's clock is too far from ours for any list to prove absence. */
  clocksApart: boolean;
  /** A sender may still be about to send, for at most this long. */
  liveForMs: number;
  /** The bank has shown a second order under some reference of this user: it recognises no reference. */
  distrusted: boolean;
  /** A switch forbids to send again. */
  switchedOff?: SwitchScope;
}

export const orderActivities = (deps: ActivityDeps, scanOrders = sharedScans(deps.bank, deps.settings.pageSize)) => ({
  /**
   * GET of one order, judged against what was sent. "Not found" on a known order id proves nothing (lag, scope) and reads as
   * still open. Local activity: it only reads, and its writes to the store may be repeated.
   */
  readOrder: (input: ReadOrderInput): Promise<OrderRead> => readOrder(deps, input),

  /**
   * One look for an order: the order ids that were accepted under its reference, then the order lists of all its currencies since
   * its first attempt, whichever run made it.
   */
  findOrder: (input: FindOrderInput): Promise<OrderLook> => withHeartbeats(() => findOrder(deps, scanOrders, input)),
});

/** What is known of a leg: what was sent, and so what the bank has to show. */
interface SentLeg {
  reference: string;
  attempts: SendAttempt[];
  /** Order ids that the bank has given in answer to an attempt, and those that the run has followed. */
  ownIds: string[];
  sent: SentOrder | undefined;
  expected: ExpectedOrder;
}

async function sentLeg(
  { store }: ActivityDeps,
  row: PayoutRecord,
  { leg, placedIds = [] }: LegInput,
): Promise<SentLeg> {
  const reference = legReference(row, leg);
  const attempts = await store.attempts(reference);
  const sent = orderInForce<SentOrder>(attempts);
  const ownIds = [...new Set([...attempts.flatMap(({ orderId }) => orderId ?? []), ...placedIds])];
  const expected = expectedOrder(leg, reference, row.instruction, row.assessed, sent);
  return { reference, attempts, ownIds, sent, expected };
}

async function readOrder(deps: ActivityDeps, input: ReadOrderInput): Promise<OrderRead> {
  const { leg, orderId, closedMeans, thenAssess } = input;
  const row = await rowOf(deps, input.claim, input.recorded);
  const { reference, attempts, ownIds, sent, expected } = await sentLeg(deps, row, input);
  const order = await reading(() => readIfThere(deps, orderId));
  if (order === undefined) return { meaning: 'open', stage: 'open', status: 'NOT_FOUND', orderId, differences: [] };
  const judgement = judgeOrder(orderFacts(order), expected, closedMeans, ownIds);
  const read: OrderRead = { ...judgement, expiredAt: sent?.expiredAt };
  if (judgement.differences.length > 0) return read;
  // Another order under the reference becomes nothing, and is not the one that its watch has to know.
  const isFollowed = input.becomes !== undefined && !isTerminal(judgement.meaning);
  if (isFollowed) await watch(deps, row, leg, { reference, attempts, sent, orderId });
  const isBooked = leg === 'exchange' && judgement.meaning === 'paid';
  if (isBooked) read.aboveCap = isAboveCap(sent, judgement, input.maxSlippage);
  const becomes = input.becomes?.[judgement.meaning];
  if (becomes !== undefined) await store(deps, input, judgement, told(becomes, read));
  if (!isBooked) return read;
  // The exchange of a payout ends apart from it, and stays as it is whatever becomes of that. One above the cap stays unsettled
  // until people have accepted it: a run that begins meanwhile reads it again, and asks again.
  if (!read.aboveCap) {
    const upTo = Math.max(0, ...attempts.map(({ attempt }) => attempt));
    await deps.store.settleAttempts(reference, { upTo, as: 'paid' });
  }
  await deps.store.closeOrder(reference);
  return thenAssess === undefined
    ? read
    : { ...read, assessment: await reading(() => recordedAssessment(deps, row, thenAssess)) };
}

/** An order that is followed is in the open set: one that a look has found, or that an older copy of the store has forgotten, too. */
async function watch(
  deps: ActivityDeps,
  row: PayoutRecord,
  leg: LegKind,
  { reference, attempts, sent, orderId }: Omit<SentLeg, 'ownIds' | 'expected'> & { orderId: string },
): Promise<void> {
  const lists = await reading(() => listsOfLeg(deps.bank, row, leg, sent));
  const since = attempts[0]?.sentAt ?? row.createdAt;
  await putIntoOpenSet(openSet(deps), row, reference, { lists, since });
  await deps.store.noteOrder(reference, { orderId });
}

/** Whether an exchange was booked at a rate beyond the cap, or at one that cannot be compared. */
function isAboveCap(sent: SentOrder | undefined, { sellAmount }: OrderJudgement, maxSlippage = '0'): boolean {
  const quoted = sent !== undefined && 'quotedSellAmount' in sent ? sent.quotedSellAmount : undefined;
  return quoted === undefined || sellAmount === undefined || exceedsSlippage(quoted, sellAmount, maxSlippage);
}

/** An exchange by itself that was booked above the cap is done: its row says so. */
const told = (becomes: StoredState, { aboveCap }: OrderRead): StoredState =>
  becomes.state === 'completed' && aboveCap === true ? { ...becomes, reason: bookedAboveCap() } : becomes;

/** An end without money by the payment's own order is stored like any other, if nothing else may have moved some. */
async function store(
  deps: ActivityDeps,
  { claim, settled = {} }: ReadOrderInput,
  { meaning, orderId, fee, feeCurrency }: OrderJudgement,
  { state, reason }: StoredState,
): Promise<void> {
  if (isNoMoney(meaning) && isEnd(state) && state !== 'completed' && reason !== null) {
    await closePayout(deps, { claim, state, reason, fee, feeCurrency, settled });
    return;
  }
  const { reference, term } = claim;
  const change = { state, reason, orderId, fee, feeCurrency, term, at: deps.now() };
  if (!(await deps.store.changePayout(reference, change))) throw new Superseded();
  if (isEnd(state)) await deps.store.closeOrder(reference);
}

/** See `findOrder` of the activities. */
async function findOrder(
  deps: ActivityDeps,
  scanOrders: ReturnType<typeof sharedScans>,
  input: FindOrderInput,
): Promise<OrderLook> {
  const { claim, leg, since, recorded } = input;
  const row = await rowOf(deps, claim, recorded);
  const { uid } = row;
  const { reference, attempts, ownIds, sent, expected } = await sentLeg(deps, row, input);
  const orders: OrderFacts[] = [];
  const add = (order: Order): void => {
    if (!orders.some(({ orderId }) => orderId === order.order_id)) orders.push(orderFacts(order));
  };
  const silent = attempts.filter(({ outcome }) => outcome === null).map(({ sentAt }) => sentAt);
  const look: OrderLook = {
    orderIds: [],
    differences: [],
    nearMisses: 0,
    stable: true,
    pagesRead: 0,
    ordersRead: 0,
    accepted: ownIds,
    exists: attempts.some(({ outcome }) => outcome === 'exists'),
    unsent: unsent(attempts),
    recorded: attempts.map(({ attempt }) => attempt),
    clocksApart: false,
    liveForMs: Math.max(0, Math.max(0, ...silent) + SENDER_LIFE_MS - deps.now()),
    distrusted: await deps.store.hasSuspectedDuplicate(uid),
    switchedOff: await deps.store.matchingSwitch(touchedBy(row, sent === undefined ? [] : [sent])),
  };
  for (const orderId of look.accepted) {
    const order = await reading(() => readIfThere(deps, orderId));
    if (order !== undefined) add(order);
  }
  // The first answers of a process tell the bank's time.
  await reading(() => deps.assertIdentity());
  const from = listedFrom(deps, Math.min(since, ...attempts.map(({ sentAt }) => sentAt)));
  let arrivals = 0;
  for (const list of await reading(() => listsOfLeg(deps.bank, row, leg, sent))) {
    const scan = await reading(() => scanOrders({ ...list, from }));
    look.stable &&= scan.stable;
    look.pagesRead += scan.pagesRead;
    look.ordersRead += scan.orders.length;
    for (const order of scan.orders) {
      if (isReturn(order)) continue;
      const form = order.client_order_id === undefined ? 'other' : referenceForm(order.client_order_id, reference);
      if (form !== 'other' && isArrival(order) && !look.accepted.includes(order.order_id)) {
        arrivals += 1;
      } else if (form === 'as-sent' || look.accepted.includes(order.order_id)) {
        add(order);
      } else if (form !== 'other') {
        look.nearMisses += 1;
      }
    }
  }
  look.clocksApart = clocksDisagree(deps);
  if (look.clocksApart) look.stable = false;
  // The money has arrived, and the order that was sent is not listed yet: a conflict until it is.
  if (orders.length === 0) look.nearMisses += arrivals;
  look.orderIds = orders.map(({ orderId }) => orderId);
  look.differences = [...new Set(orders.flatMap((order) => orderDifferences(order, expected, look.accepted)))];
  return look;
}
