import { readIfThere } from '../bank/bank-orders.ts';
import { listedFrom, recentlyListedFrom } from '../bank/bank-time.ts';
import { withDeadline } from '../bank/deadline.ts';
import { isBankError, undefinedIf } from '../bank/errors.ts';
import { type Order, orderKey } from '../bank/schemas/orders.ts';
import { Superseded } from '../domain/claim.ts';
import { someAtOnce } from '../domain/iterate.ts';
import { mainOrderKindOf, orderEndActivityId, parseWorkflowId } from '../domain/names.ts';
import { isArrival, isReturn } from '../domain/order-judgement.ts';
import { asksForAttention, isNoMoney, isTerminal, stageMeaning } from '../domain/order-status.ts';
import { isEnd } from '../domain/payout-state.ts';
import { ByReference, mayBeAltered, mayBeOurs, referenceForm } from '../domain/reference-form.ts';
import type { OpenOrder, WatchKey } from '../store/store.ts';
import type { ActivityDeps, LongRun } from './deps.ts';
import { noteOrders } from './note-orders.ts';
import { asPaid, type ReadOrderInput, readOrder } from './read.ts';
import { watchLeaseMs } from './send.ts';

/** Which open order a record of the bank belongs to. */
interface Owners {
  /** Those for which this order id was returned, the first one first. */
  byId: ReadonlyMap<string, readonly OpenOrder[]>;
  byReference: ByReference<OpenOrder>;
}

const ownersOf = (open: readonly OpenOrder[]): Owners => ({
  byId: Map.groupBy(
    open.filter(({ orderId }) => orderId !== null),
    ({ orderId }) => `${orderId}`,
  ),
  byReference: new ByReference(open.map((order) => [order.reference, order])),
});

/**
 * The open order that a listed record was made for: by the reference it shows, in any form, else by the id that the bank has
 * returned. A bank may give one id to two orders: each then belongs to the payout that sent its reference, and one that shows none to the
 * first for which the id was returned. A return belongs to none.
 */
function openOrderOf(order: Order, { byId, byReference }: Owners): OpenOrder | undefined {
  if (isReturn(order)) return undefined;
  const { client_order_id: shown, order_id: orderId } = order;
  const reported = byId.get(orderId) ?? [];
  if (shown === undefined) return reported[0];
  const byItsReference = byReference.find(shown) ?? reported.find((owner) => isFormOf(shown, owner));
  return byItsReference ?? (isOfAnother(shown) ? undefined : reported[0]);
}

/** Whether the order shows the reference of another payout than this one. */
const isAnothers = ({ client_order_id: shown }: Order, owner: OpenOrder): boolean =>
  shown !== undefined && isOfAnother(shown) && !isFormOf(shown, owner);

const isFormOf = (shown: string, { reference }: OpenOrder): boolean => referenceForm(shown, reference) !== 'other';

/** What is no reference of ours at all says nothing about whose order it is. */
const isOfAnother = (shown: string): boolean => mayBeOurs(shown) || mayBeAltered(shown);

/** How often a watch reads its open orders, in ms. */
export interface Pace {
  /** Pause for young orders. */
  listPollMs: number;
  /** Longest pause between two polls. */
  listPollMaxMs: number;
}

/** An order waits at most a quarter of its age for its next read, unless full polls come sooner. */
const PART_OF_AGE = 4;
/** A full poll comes after this many longest pauses, at most twice as many. */
const FULL_EVERY = 4;

/**
 * How far back the poll at `now` reads, as an age in ms; infinity: all that the list may show. Times count from the first poll,
 * which is a full one; `before` is the previous poll. Periods double with age: however long an order is open, it is read a
 * few times whenever its age doubles, not at every pause.
 */
export function depthAt({ listPollMs, listPollMaxMs }: Pace, before: number, now: number): number {
  const isDue = (period: number): boolean => Math.floor(now / period) > Math.floor(before / period);
  const fullMs = listPollMs * 2 ** Math.ceil(Math.log2((FULL_EVERY * listPollMaxMs) / listPollMs));
  if (now === 0 || isDue(fullMs)) return Number.POSITIVE_INFINITY;
  let depth = 0;
  for (let period = listPollMs; period < fullMs; period *= 2) if (isDue(period)) depth = 2 * PART_OF_AGE * period;
  return depth;
}

/** Pause after a poll at `now`, given the age of the youngest open order. */
export function pauseAt({ listPollMs, listPollMaxMs }: Pace, now: number, youngestMs: number): number {
  let period = listPollMs;
  while (2 * period <= Math.min(youngestMs / PART_OF_AGE, listPollMaxMs)) period *= 2;
  return period - (now % period);
}

const READS_AT_ONCE = 5;
/** A bank that leaves this many reads unanswered is left alone until the next poll. */
const UNANSWERED_MAX = 20;

/**
 * Reads open orders by their ids and passes on what is shown. Each is read ever more rarely, a tenth of its age apart, and one
 * that the bank does not show holds up no other.
 */
async function readEachById(
  deps: ActivityDeps,
  signal: AbortSignal,
  owners: readonly OpenOrder[],
  notify: (owner: OpenOrder, order: Order) => Promise<void>,
): Promise<void> {
  const now = deps.now();
  let unanswered = 0;
  await someAtOnce(owners, READS_AT_ONCE, async (owner) => {
    const { openedAt, orderId } = owner;
    const nextReadAt = now + Math.ceil((now - openedAt) / 10);
    // A time later than the next one from now was noted by a clock that was ahead.
    const isPutOff = owner.nextReadAt !== null && now < owner.nextReadAt && owner.nextReadAt <= nextReadAt;
    if (orderId === null || isPutOff || unanswered >= UNANSWERED_MAX) return;
    await deps.store.noteOrder(owner.reference, { nextReadAt });
    const readIt = () => withDeadline(SLOW_MS, signal, (inTime) => readIfThere(deps, orderId, { signal: inTime }));
    const isAnswered = await undefinedIf(isBankError, async () => {
      const order = await readIt();
      if (order !== undefined) await notify(owner, order);
      return true;
    });
    if (isAnswered !== true) unanswered += 1;
  });
}

/** Others wait for their turn, so it is less patient than the run itself. */
const SLOW_MS = 5_000;

/**
 * For an order that the list shows paid: reads it, stores the end of its payout in the name of the run that follows it, and notifies
 * that run, which need not read it again. The order leaves the open set last: what is lost before, the next poll repairs.
 *
 * @returns false if the run must decide: it is to be signalled, and reads the order itself
 * @throws BankError if the bank does not show the order in time; nothing is stored
 */
export async function notifyEnd(
  deps: ActivityDeps,
  { workflowId, reference }: OpenOrder,
  orderId: string,
  signal: AbortSignal,
): Promise<boolean> {
  // An exchange that funds a payout has a reference of its own, under which there is no row.
  const row = await deps.store.payout(reference);
  // In any other state people, or a search, may have a say.
  if (row?.state !== 'processing') return false;
  const run = { workflowId, runId: row.claimRunId ?? '' };
  // One that has an exchange, or was just notified that its order is accepted, does not wait.
  if (!(await deps.executions.awaitsEnd(run, orderId))) return false;
  const caller = { ...run, activityId: orderEndActivityId(orderId) };
  const input: ReadOrderInput = {
    claim: { storeId: deps.store.id, reference, term: row.term },
    orderKind: mainOrderKindOf(row.kind),
    orderId,
    closedMeans: 'unclear',
    as: 'watched',
  };
  const readIt = () => withDeadline(SLOW_MS, signal, (inTime) => readOrder(deps, caller, input, inTime));
  const read = await undefinedIf(isSuperseded, () => deps.traced?.(workflowId, 'TellEnd', readIt) ?? readIt());
  const paid = read && asPaid(read);
  if (paid === undefined || !(await deps.executions.endOrder(run, orderId, paid))) return false;
  await deps.store.closeOrder(reference);
  return true;
}

const isSuperseded = (error: unknown): boolean => error instanceof Superseded;

export interface PollResult {
  /** The open set was empty and the watch was marked as gone. */
  ended: boolean;
  polls: number;
}

/** The activity returns after this long, so that the workflow can show progress and start over with a fresh history. */
const RUN_MS = 6 * 3_600_000;

/**
 * Polls the order list of one (uid, currency) until no order is open. One list read serves every open payout, so bank calls grow
 * with pages of orders and not with payouts; older orders are read more rarely.
 */
export async function pollOrders(deps: ActivityDeps, { sleep, signal }: LongRun, key: WatchKey): Promise<PollResult> {
  const began = deps.now();
  const poll: Poll = {
    deps,
    signal,
    key,
    foreign: new Set(),
    seconds: new Set(),
    disputed: new Set(),
    isUnanswered: false,
    otherOrders: new Map(),
    seenAt: new Map(),
    lackedFor: new Map(),
  };
  let before = 0;
  for (let polls = 1; ; polls += 1) {
    await deps.store.touchWatch(key, deps.now());
    const now = deps.now() - began;
    const depth = depthAt(deps.settings, before, polls === 1 ? 0 : now);
    before = now;
    let open = await deps.store.openOrders(key, deps.now() - depth);
    const isSeen = polls === 1 && (await wasJustRead(deps, key));
    if (open.length > 0 && !isSeen) await pollSafely(poll, open, depth);
    else open = await deps.store.openOrders(key);
    if (open.length === 0 && (await deps.store.endWatch(key))) return { ended: true, polls };
    if (now > RUN_MS) return { ended: false, polls };
    const youngestAt = open.at(-1)?.openedAt ?? deps.now();
    await sleep(pauseAt(deps.settings, deps.now() - began, deps.now() - youngestAt));
  }
}

/** Before the first orders are sent the whole list was read, and noted: it would show nothing else so soon. */
async function wasJustRead({ store, settings, now }: ActivityDeps, key: WatchKey): Promise<boolean> {
  const [readIt] = await store.listReadsOf([key]);
  return readIt !== undefined && Math.abs(now() - readIt.beganAt) < settings.listPollMaxMs;
}

/** State kept by one poll activity between polls. */
interface Poll {
  deps: ActivityDeps;
  signal: AbortSignal;
  key: WatchKey;
  /** Orders of no open payout that are already noted. */
  foreign: Set<string>;
  /** Second orders already signalled to an open payout. */
  seconds: Set<string>;
  /** References under which more than one order was seen: only their runs know what people have said about that. */
  disputed: Set<string>;
  /** The bank shows lists and leaves a read of a single order unanswered, in the present poll. */
  isUnanswered: boolean;
  /** Last seen status by order id: of exchanges seen from the currency sold, and of transfers seen by the other user. */
  otherOrders: Map<string, string>;
  /** When a list last showed the order of an open reference. */
  seenAt: Map<string, number>;
  /** How long a list did not show the order of an open reference that the bank had accepted, ms. */
  lackedFor: Map<string, number>;
}

/** A bank that does not answer ends no watch: the next poll tries again. */
async function pollSafely(poll: Poll, open: OpenOrder[], depth: number): Promise<void> {
  poll.isUnanswered = false;
  await undefinedIf(isBankError, () => (Number.isFinite(depth) ? pollRecent(poll, open) : pollAll(poll, open)));
}

/** Reads the recent part of the list until each of these orders was seen; a full poll finds the rest. */
async function pollRecent(poll: Poll, open: readonly OpenOrder[]): Promise<void> {
  const { deps, key, signal } = poll;
  const owners = ownersOf(open);
  const missing = new Set(open);
  const enough = (page: readonly Order[]): boolean => {
    for (const order of page) missing.delete(openOrderOf(order, owners) as OpenOrder);
    return missing.size === 0;
  };
  const oldest = open[0]?.openedAt ?? deps.now();
  const from = recentlyListedFrom(deps, oldest);
  const scan = await deps.bank.orders.listAll({ ...key, from }, { pageSize: deps.settings.pageSize, signal, enough });
  await notifyOwners(poll, scan.orders, owners);
}

/**
 * Reads all that the list may show of them, and notes all else that it shows. An order whose id is known and that no list has
 * shown for longer than the list lag is read by its id, regardless of the list: it may be incomplete, wrong or broken for hours.
 */
async function pollAll(poll: Poll, open: readonly OpenOrder[]): Promise<void> {
  const { deps, seenAt, signal } = poll;
  const now = deps.now();
  const windowFrom = now - deps.settings.listWindowMs;
  // An order opened after now comes from a worker whose clock was ahead: its place in the list is unknown.
  const isInWindow = ({ openedAt }: OpenOrder): boolean => openedAt >= windowFrom && openedAt <= now;
  const inWindow = open.filter(isInWindow);
  const [oldest] = inWindow;
  if (oldest !== undefined) await undefinedIf(isBankError, () => pollList(poll, open, oldest));
  const isUnseen = ({ openedAt, reference }: OpenOrder): boolean =>
    now - Math.max(openedAt, seenAt.get(reference) ?? 0) > deps.settings.terms.waits.listLagMs;
  const overdue = open.filter((order) => !isInWindow(order) || isUnseen(order));
  for (const order of overdue) if (order.orderId === null) await dropIfEnded(deps, order);
  await readEachById(deps, signal, overdue, (owner, order) => notify(poll, owner, order));
}

/** Nothing reached the bank, and the process that stored the end died before the order left the open set. */
async function dropIfEnded(deps: ActivityDeps, { reference, workflowId }: OpenOrder): Promise<void> {
  if (await hasEnded(deps, workflowId)) await deps.store.closeOrder(reference);
}

async function pollList(poll: Poll, open: readonly OpenOrder[], oldest: OpenOrder): Promise<void> {
  const { deps, key, signal } = poll;
  const beganAt = deps.now();
  const since = listedFrom(deps, oldest.openedAt);
  const scan = await deps.bank.orders.listAll({ ...key, from: since }, { pageSize: deps.settings.pageSize, signal });
  const owners = ownersOf(open);
  await notifyOwners(poll, scan.orders, owners);
  if (scan.stable) {
    for (const { orderId, openedAt, reference } of open) {
      if (orderId !== null && !poll.seenAt.has(reference)) poll.lackedFor.set(reference, beganAt - openedAt);
    }
  }
  await noteForeignOrders(poll, since, scan.orders, owners);
}

async function notifyOwners(poll: Poll, orders: readonly Order[], owners: Owners): Promise<void> {
  const owned = orders.flatMap((order) => {
    const owner = openOrderOf(order, owners);
    return owner === undefined ? [] : [{ order, owner }];
  });
  const seenAt = poll.deps.now();
  for (const { order, owner } of owned) {
    if (isSecond(order, owner)) poll.disputed.add(owner.reference);
    else poll.seenAt.set(owner.reference, seenAt);
  }
  const lags = owned.flatMap(({ owner }) => poll.lackedFor.get(owner.reference) ?? []);
  if (lags.length > 0) {
    await poll.deps.store.noteListLag({ ...poll.key, lagMs: Math.max(...lags) });
    for (const { owner } of owned) poll.lackedFor.delete(owner.reference);
  }
  await someAtOnce(owned, SIGNALS_AT_ONCE, ({ order, owner }) => route(poll, order, owner));
}

const SIGNALS_AT_ONCE = 20;

/** Another order than the one that its sender received. */
const isSecond = (order: Order, { orderId }: OpenOrder): boolean =>
  orderId !== null && orderId !== order.order_id && !isArrival(order);

/** Routes one listed order to the open payout that owns it. */
async function route(poll: Poll, order: Order, owner: OpenOrder): Promise<void> {
  // The receiving side of a transfer adds nothing to the order itself.
  if (isArrival(order) && owner.orderId !== order.order_id) return;
  if (!isSecond(order, owner)) return notify(poll, owner, order);
  if (poll.seconds.has(order.order_id)) return;
  poll.seconds.add(order.order_id);
  await notifyOfSecond(poll, owner, order);
}

/** Notes orders of no open payout: returns, incidents of ended ones, orders that are not ours. Each once per activity. */
async function noteForeignOrders(
  { deps, key, foreign }: Poll,
  since: number,
  orders: readonly Order[],
  owners: Owners,
): Promise<void> {
  const unowned = orders.filter((order) => openOrderOf(order, owners) === undefined);
  const news = unowned.filter((order) => !foreign.has(orderKey(order)));
  if (news.length === 0) return;
  const references = new Set(news.map((order) => order.client_order_id));
  await noteOrders(
    deps,
    { ...key, since },
    unowned.filter((order) => references.has(order.client_order_id)),
  );
  for (const order of news) foreign.add(orderKey(order));
}

/** Signals the owner if the status asks something of it and was not signalled before. */
async function notify(poll: Poll, owner: OpenOrder, order: Order): Promise<void> {
  const meaning = stageMeaning(order.stage);
  if (!asksForAttention(meaning)) return;
  if (owner.notifiedStatus === order.status) {
    // The process that stored the end died before the order left the open set.
    if (isTerminal(meaning) && (await hasEnded(poll.deps, owner.workflowId))) {
      await poll.deps.store.closeOrder(owner.reference);
    }
    return;
  }
  if (leavesToOtherOrder(poll, order)) return;
  const { deps } = poll;
  const { reference, workflowId } = owner;
  const { order_id: orderId, status, stage } = order;
  if (meaning === 'paid' && (await isNotified(poll, owner, orderId))) return;
  const received = await deps.executions.orderChanged(workflowId, { reference, orderId, status, stage });
  // The status of an order that is somebody else's says nothing about when this payout is notified of its own.
  if (!isAnothers(order, owner)) await deps.store.noteOrder(reference, { orderId, notifiedStatus: status });
  // A stalled sender may put a reference back into the open set after its payout has ended.
  if (!received && (await hasEnded(deps, workflowId))) await deps.store.closeOrder(reference);
}

/** Whether the run was notified of its paid order, and need not read it. */
async function isNotified(poll: Poll, owner: OpenOrder, orderId: string): Promise<boolean> {
  if (poll.isUnanswered || poll.disputed.has(owner.reference)) return false;
  try {
    return await notifyEnd(poll.deps, owner, orderId, poll.signal);
  } catch (error) {
    if (!isBankError(error)) throw error;
    // The runs read their orders themselves, each with its own patience: the others are notified without delay.
    poll.isUnanswered = true;
    return false;
  }
}

async function hasEnded({ store }: ActivityDeps, workflowId: string): Promise<boolean> {
  const row = await store.payout(parseWorkflowId(workflowId)?.key ?? '');
  return row !== undefined && isEnd(row.state);
}

/**
 * Signals a second order under one reference, unless it took no money, so that the payout stops for people. Of an exchange a bank
 * may list one record per currency: the other one is signalled only in the place of one that the bank does not show any more.
 */
async function notifyOfSecond({ deps }: Poll, owner: OpenOrder, order: Order): Promise<void> {
  if (isNoMoney(stageMeaning(order.stage))) return;
  if (order.type === 'FX' && (await readIfThere(deps, owner.orderId ?? order.order_id)) !== undefined) return;
  const { reference, workflowId } = owner;
  const { order_id: orderId, status, stage } = order;
  await deps.executions.orderChanged(workflowId, { reference, orderId, status, stage });
}

/**
 * An exchange is listed in both its currencies, and a transfer may be listed for two users; a second signal costs its payout four
 * events. The watch of the currency sold, or of the other user, therefore signals only if the other watch has not done so by its
 * next poll.
 */
function leavesToOtherOrder({ key, otherOrders }: Poll, order: Order): boolean {
  const isBought = order.buy_currency === undefined || order.buy_currency === key.currency;
  const isOwn = order.type !== 'TRANSFER' || order.transaction_uid === undefined || order.transaction_uid === key.uid;
  if (isBought && isOwn) return false;
  if (otherOrders.get(order.order_id) === order.status) return false;
  otherOrders.set(order.order_id, order.status);
  return true;
}

/** Wakes the watch of every key with open orders and no live watch; called at worker boot and by running batches. */
export async function wakeNeglectedWatches(deps: ActivityDeps): Promise<number> {
  const at = deps.now();
  const neglected = await deps.store.neglectedWatches({ at, watchAliveSince: at - watchLeaseMs(deps) });
  await Promise.all(neglected.map((key) => deps.executions.wakeWatch(key)));
  return neglected.length;
}
