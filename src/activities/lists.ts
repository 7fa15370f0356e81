import type { OrderScan } from '../bank/bank.ts';
import { readIfThere } from '../bank/bank-orders.ts';
import { attemptsListedFrom, clocksDisagree, inAnyZone, isReached, listedFrom } from '../bank/bank-time.ts';
import { isBankError } from '../bank/errors.ts';
import type { Order } from '../bank/schemas/orders.ts';
import { shared } from '../bank/shared-reads.ts';
import type { ReadDoubt } from '../domain/absence.ts';
import { referenceOf } from '../domain/identity.ts';
import { type OrderKind, orderKindsOf, payoutWorkflowId } from '../domain/names.ts';
import { isIndistinct, isReturn } from '../domain/order-judgement.ts';
import { isNoMoney, isTerminal, stageMeaning } from '../domain/order-status.ts';
import { ownStem, referenceForm } from '../domain/reference-form.ts';
import { expectedOrder, listsOf, type SentOrder } from '../domain/sent-order.ts';
import {
  both,
  type DemandedRead,
  demandedRead,
  hasWaited,
  isMetBy,
  mayBeOrderOf,
  orderAsked,
} from '../domain/submission.ts';
import { HOUR_MS } from '../domain/time.ts';
import { orderReference } from '../store/claimed-row.ts';
import {
  askedOf,
  cameBackEnough,
  earlierReferences,
  GENERATIONS_MAX,
  GENERATIONS_MORE,
  type Generation,
  mayOtherGenerationPay,
} from '../store/proven-unpaid.ts';
import type { ListRead, PayoutRecord, ReturnSeen, SendAttempt, UnaskedOrder, WatchKey } from '../store/store.ts';
import type { ListReadDeps, ListReadRequest, ReadList, SeenList } from './deps.ts';
import { noteOrders } from './note-orders.ts';

/** What the references of a row derive from, claimed or not. */
export type SentRow = Generation & Partial<Pick<PayoutRecord, 'createdAt' | 'releasedAt'>>;

/** An order that this store did not send, under a reference of the document. */
interface UnsentOrder extends UnaskedOrder {
  /** As it would be sent. */
  reference: string;
}

/** Orders that lists have shown under references of the document, of every generation, and that no attempt of ours explains. */
export async function unsentOrders(
  { store }: ListReadDeps,
  { uid, documentId, generation, kind }: SentRow,
): Promise<UnsentOrder[]> {
  if (!(await store.hasUnaskedOrders())) return [];
  const references = Array.from({ length: Math.min(generation, GENERATIONS_MAX) + 1 + GENERATIONS_MORE }, (_, each) =>
    orderKindsOf(kind).map((orderKind) => referenceOf(uid, documentId, orderKind, each)),
  ).flat();
  const byStem = new Map(references.map((reference) => [ownStem(reference) ?? '', reference]));
  const found = (await store.unaskedOrdersLike([...byStem.keys()])).flatMap((order) => {
    const reference = byStem.get(order.stem ?? '') ?? '';
    return referenceForm(order.clientOrderId ?? '', reference) === 'other' ? [] : [{ ...order, reference }];
  });
  if (found.length === 0) return [];
  const under = found.map(({ reference }) => reference);
  const sent = Map.groupBy(await store.attemptsOf(under), ({ reference }) => reference);
  const followed = new Set([
    ...(await store.payoutsOf(under)).map(({ orderId }) => orderId),
    ...(await store.bookedExchangesOf(references)).map(({ orderId }) => orderId),
  ]);
  return found.filter(
    ({ orderId, reference }) => !followed.has(orderId) && !mayBeOrderOf(sent.get(reference) ?? [], orderId),
  );
}

// Before the first byte of any second POST under a reference, of any reference of a further generation, and of anything after the
// store was opened anew, the bank's lists are read: the store cannot know what was sent from a copy of it, or what the bank has
// executed after it said that it would not.

/** What the bank shows against sending an order of a row. */
interface AtBank {
  /** Why a list that must be read first proves nothing. */
  doubt?: ReadDoubt;
  /** Orders under other references of the same document that may have taken money. */
  earlier: string[];
  /** Orders under the reference of the row itself, which this store did not send. */
  own: string[];
}

/**
 * Reads every list that can show an order of this document, unless that was done, and says what they show.
 *
 * @param lists that can show the order to be sent
 * @param begunAfter no read that is required again and again may have begun earlier, epoch ms
 * @throws BankError if the bank does not show a list
 */
export async function askBank(
  deps: ListReadDeps & { readList: ReadList },
  row: SentRow,
  orderKind: OrderKind,
  lists: readonly WatchKey[],
  begunAfter = 0,
): Promise<AtBank> {
  const { missing, earlier } = await missingReads(deps, row, orderKind, lists, begunAfter);
  if (missing.some(({ after }) => after > deps.now())) return { doubt: 'too-soon', earlier: [], own: [] };
  const seen = await Promise.all(missing.map((list) => deps.readList({ ...list, toProve: true })));
  const doubt = seen.find((list) => list.doubt !== undefined)?.doubt;
  return { ...(doubt !== undefined && { doubt }), ...(await atBank(deps, row, orderKind, earlier)) };
}

/**
 * Whether an order of the row may be sent, as far as the store knows from the last reads: `read`, one is missing; `own`, `earlier`:
 * they show an order that forbids it, or one of a later generation was sent.
 */
export async function objectionTo(
  deps: ListReadDeps,
  row: SentRow,
  orderKind: OrderKind,
  lists: readonly WatchKey[],
): Promise<'read' | 'own' | 'earlier' | undefined> {
  if (await mayOtherGenerationPay(deps.store, row)) return 'earlier';
  const { missing, earlier } = await missingReads(deps, row, orderKind, lists);
  if (missing.length > 0) return 'read';
  const shown = await atBank(deps, row, orderKind, earlier);
  if (shown.own.length > 0) return 'own';
  return shown.earlier.length > 0 ? 'earlier' : undefined;
}

/**
 * Orders under the references of the row itself that no attempt of it explains, and that may have taken money: this store has
 * forgotten them, another store has sent them, or the bank has executed what counted as absent. One that is known to be paid, and
 * the one that the row follows, are left out.
 */
export async function unsentByRow(
  deps: ListReadDeps,
  row: SentRow & Pick<PayoutRecord, 'orderId'>,
  references: readonly string[],
): Promise<string[]> {
  const watched = (
    await Promise.all(references.map((reference) => seenByWatch(deps, row, reference, row.orderId)))
  ).flat();
  const justRead = new Set(watched.map(({ orderId }) => orderId));
  const unsent = (await unsentOrders(deps, row)).filter(
    ({ reference, orderId }) => references.includes(reference) && !justRead.has(orderId),
  );
  if (unsent.length === 0 && watched.length === 0) return [];
  const attempts = await deps.store.attemptsOf(references);
  const paid = new Set(attempts.filter(({ resolved }) => resolved === 'paid').map(({ reference }) => reference));
  const others = unsent.filter(({ reference }) => !paid.has(reference));
  const alive = await Promise.all(others.map((order) => mayHavePaid(deps, order)));
  return [
    ...watched.filter(({ reference, shown }) => !paid.has(reference) && mayPay(deps, shown)),
    ...others.filter((_, index) => alive[index]),
  ].map(({ orderId }) => orderId);
}

interface MissingRead extends WatchKey {
  after: number;
  since: number;
  from: number;
}

/** Earlier generations of the document, as the store has them. */
interface Earlier {
  payouts: PayoutRecord[];
  attempts: SendAttempt[];
}

async function missingReads(
  deps: ListReadDeps,
  row: SentRow,
  orderKind: OrderKind,
  lists: readonly WatchKey[],
  begunAfter = 0,
): Promise<{ missing: MissingRead[]; earlier: Earlier }> {
  const { store, now } = deps;
  const own = await store.attempts(orderReference(row, orderKind));
  const earlier = await earlierOf(deps, row);
  const attempts = [...own, ...earlier.attempts];
  const { listLagMs } = deps.settings.terms.waits;
  const facts = { now: now(), begunAfter, listLagMs, isOlder: await isOlder(deps, row) };
  const demanded = demandedRead(attempts, row.generation, earlier.payouts, facts);
  const keys = distinct([...lists, ...earlier.attempts.flatMap((attempt) => listsOfAttempt(row.uid, attempt))]);
  const missing = (await lastReads(store, keys)).flatMap(({ key, last, sinceOpening }) => {
    const wanted = both(isMet(last, demanded, now()) ? undefined : demanded, sinceOpening);
    if (wanted === undefined) return [];
    return [{ ...key, after: wanted.after, since: wanted.from, from: listedFrom(deps, wanted.from) }];
  });
  return { missing, earlier };
}

async function isOlder({ store, now }: ListReadDeps, { createdAt, releasedAt }: SentRow): Promise<boolean> {
  if (createdAt === undefined) return false;
  return hasWaited(now(), releasedAt ?? createdAt) || createdAt <= ((await store.resumed())?.at ?? 0);
}

const isMet = (last: ListRead | undefined, demanded: DemandedRead | undefined, now: number): boolean =>
  demanded === undefined || (last !== undefined && last.reachesFrom === 0 && isMetBy(demanded, last.beganAt, now));

async function earlierOf({ store }: ListReadDeps, row: SentRow): Promise<Earlier> {
  if (row.generation === 0) return { payouts: [], attempts: [] };
  const payouts = await store.payoutsOf(earlierReferences(row));
  const references = payouts.flatMap((payout) =>
    orderKindsOf(payout.kind).map((orderKind) => orderReference(payout, orderKind)),
  );
  return { payouts, attempts: await store.attemptsOf(references) };
}

const isOrder = (request: SendAttempt['request']): request is SentOrder => request !== null && 'amount' in request;

const listsOfAttempt = (uid: string, { request }: SendAttempt): WatchKey[] =>
  isOrder(request) ? listsOf(uid, request) : [];

function distinct(keys: readonly WatchKey[]): WatchKey[] {
  return [...new Map(keys.map(({ uid, currency }) => [JSON.stringify([uid, currency]), { uid, currency }])).values()];
}

async function atBank(
  deps: ListReadDeps,
  row: SentRow,
  orderKind: OrderKind,
  earlier: Earlier,
): Promise<Pick<AtBank, 'earlier' | 'own'>> {
  const unsent = await unsentOrders(deps, row);
  const own = orderReference(row, orderKind);
  const others = [...unsent.filter(({ reference }) => reference !== own), ...(await hiddenOrders(deps, row, earlier))];
  const alive = await Promise.all(others.map((order) => mayHavePaid(deps, order)));
  return {
    earlier: [
      ...others.filter((_, index) => alive[index]).map(({ orderId }) => orderId),
      ...(await notBack(deps, row, earlier.payouts)),
    ],
    own: [...unsent.filter(({ reference }) => reference === own), ...(await seenByWatch(deps, row, own))].map(
      ({ orderId }) => orderId,
    ),
  };
}

/** Paid orders of earlier generations of whose money the bank does not show now that as much came back as the row asks. */
async function notBack(deps: ListReadDeps, row: SentRow, payouts: readonly PayoutRecord[]): Promise<string[]> {
  const paid = payouts.filter(({ state }) => state === 'completed');
  if (paid.length === 0) return [];
  const returns = await deps.store.returnsOf(paid.map(({ reference }) => reference));
  const ids = returns.flatMap(({ orderId, otherId, shownBy }) => (shownBy === 'orders' ? orderId : (otherId ?? [])));
  const now = await Promise.all(ids.map((orderId) => readIfThere(deps, orderId)));
  const shown = new Set(now.flatMap((order) => (order !== undefined && isBack(deps, order) ? [order.order_id] : [])));
  const isShown = ({ orderId, otherId = null }: ReturnSeen): boolean => shown.has(orderId) || shown.has(otherId ?? '');
  const back = await cameBackEnough(deps.store, paid, askedOf(row, paid), isShown);
  return paid.filter(({ reference }) => !back.has(reference)).map(({ orderId, reference }) => orderId ?? reference);
}

const isBack = ({ settings }: ListReadDeps, order: Order): boolean =>
  isReturn(order) && stageMeaning(order.stage, settings.terms.closedMeans) === 'paid';

/** Orders without a reference for the same money as an earlier generation, made since it was sent. */
async function hiddenOrders(deps: ListReadDeps, row: SentRow, { payouts, attempts }: Earlier): Promise<UnaskedOrder[]> {
  if (attempts.length === 0) return [];
  const from = attemptsListedFrom(deps, Math.min(...attempts.map(({ sentAt }) => sentAt)), attempts);
  const keys = distinct(attempts.flatMap((attempt) => listsOfAttempt(row.uid, attempt)));
  const hidden = (await Promise.all(keys.map((key) => deps.store.unaskedOrdersWithoutReference(key)))).flat();
  const expected = payouts.flatMap((payout) =>
    orderKindsOf(payout.kind).map((orderKind) => {
      const reference = orderReference(payout, orderKind);
      const sent = orderAsked<SentOrder>(attempts.filter((attempt) => attempt.reference === reference));
      return expectedOrder(orderKind, reference, payout.instruction, payout.assessed, sent);
    }),
  );
  const known = new Set(
    (await deps.store.payoutsOfOrders(hidden.map(({ orderId }) => orderId))).map((payout) => payout.orderId),
  );
  return hidden.filter(({ shown, orderId }) => {
    if (shown === null || known.has(orderId) || (shown.created_at ?? from) < from) return false;
    return expected.some((order) => isIndistinct(shown, order));
  });
}

/**
 * Orders that a watch has seen under this reference and that the bank still shows by their ids, though a list may leave them out.
 * They are noted, so that the next run that prepares the row searches for them.
 */
async function seenByWatch(
  deps: ListReadDeps,
  { uid }: SentRow,
  reference: string,
  followed: string | null = null,
): Promise<UnsentOrder[]> {
  const seen = (await deps.store.orderIdsSeen(reference)).filter((orderId) => orderId !== followed);
  const orders = await Promise.all(seen.map((orderId) => readIfThere(deps, orderId)));
  const found = orders.flatMap((shown): UnsentOrder[] => {
    if (shown?.client_order_id === undefined) return [];
    const { order_id: orderId, client_order_id: clientOrderId, transaction_currency: currency = '' } = shown;
    if (referenceForm(clientOrderId, reference) === 'other') return [];
    const stem = ownStem(clientOrderId);
    return [{ orderId, uid, currency, clientOrderId, stem, shown, seenAt: deps.now(), reference }];
  });
  if (found.length > 0) await deps.store.recordUnaskedOrders(found.map(({ reference: _, ...order }) => order));
  return found;
}

/** By what the bank shows of the order now: only one that says "no money" is dead. */
const mayHavePaid = async (deps: ListReadDeps, { orderId }: UnaskedOrder): Promise<boolean> =>
  mayPay(deps, await readIfThere(deps, orderId));

const mayPay = ({ settings }: ListReadDeps, order: Order | null | undefined): boolean =>
  order == null || !isNoMoney(stageMeaning(order.stage, settings.terms.closedMeans));

/**
 * Reads the bank's lists, in this process. All who ask for the same list share a reading, one at a time: the next one goes back
 * as far as any of them asked for, and so proves as much as a reading of its own. Many lost answers, or many rows of a batch, then
 * cost few bank calls. A list that proves something is recorded in the store, so that other processes need not read it.
 *
 * @throws BankError if the bank does not show the list
 */
export function listReader(deps: ListReadDeps): ReadList {
  const asked = new Map<string, ListReadRequest>();
  const underWay = new Map<string, { request: ListReadRequest; beganAt: number; seen: Promise<SeenList> }>();
  const readKey = shared((key): Promise<SeenList> => {
    const request = asked.get(key);
    asked.delete(key);
    if (request === undefined) throw new Error('nobody has asked for this list');
    const beganAt = deps.now();
    const seen = read(deps, request, beganAt).finally(() => underWay.delete(key));
    underWay.set(key, { request, beganAt, seen });
    return seen;
  });
  return (request) => {
    const key = JSON.stringify([request.uid, request.currency]);
    const current = underWay.get(key);
    if (current !== undefined && meets(current, request)) return current.seen;
    asked.set(key, widest(request, asked.get(key)));
    return readKey(key);
  };
}

const meets = (
  { request, beganAt }: { request: ListReadRequest; beganAt: number },
  { after = Number.POSITIVE_INFINITY, since, from, toProve }: ListReadRequest,
): boolean => beganAt >= after && request.since <= since && request.from <= from && (request.toProve || !toProve);

const widest = (one: ListReadRequest, other: ListReadRequest = one): ListReadRequest => ({
  ...one,
  since: Math.min(one.since, other.since),
  from: Math.min(one.from, other.from),
  toProve: one.toProve || other.toProve,
});

async function read(
  deps: ListReadDeps,
  { toProve, since, from, uid, currency }: ListReadRequest,
  beganAt: number,
): Promise<SeenList> {
  const key = { uid, currency };
  const query = { ...key, from: toProve ? inAnyZone(from) : from };
  const scan = await deps.bank.orders.listStable(query, { pageSize: deps.settings.pageSize });
  if (!toProve) return { ...scan, beganAt, doubt: scan.doubt ?? (scan.stable ? undefined : 'not-stable') };
  const doubt = await doubtOf(deps, key, scan, { since, from, beganAt });
  if (doubt === undefined) await note(deps, key, scan, { from, beganAt });
  return { ...scan, beganAt, doubt };
}

/** How long a bank lists what is completed is not shown (interface section 4), but no list is as short as this. */
const LISTED_MS = HOUR_MS;

async function doubtOf(
  deps: ListReadDeps,
  key: WatchKey,
  { stable, orders, doubt }: OrderScan,
  { since, from, beganAt }: Pick<ListReadRequest, 'since' | 'from'> & { beganAt: number },
): Promise<ReadDoubt | undefined> {
  if (doubt !== undefined) return doubt;
  if (from > 0 && clocksDisagree(deps)) return 'clocks-apart';
  // A list without one that it must show by now is behind, or is not the list that was asked for.
  const to = beganAt - deps.settings.terms.waits.listLagMs;
  const completedFrom = since === 0 ? beganAt - LISTED_MS : since;
  const range = { from: from === 0 ? 0 : since, to };
  const shown = new Set(orders.map(({ order_id }) => order_id));
  // A bank may give an order another id; a return, or one that takes no money, is not that order.
  const alive = orders.filter((order) => !isReturn(order) && mayPay(deps, order));
  const under = new Set(alive.map(({ client_order_id }) => client_order_id));
  const accepted = await deps.store.acceptedIn(key, { ...range, completedFrom });
  const missing = accepted.filter(({ orderId, reference }) => !shown.has(orderId) && !under.has(reference));
  if (missing.some(({ isClosed }) => !isClosed)) return 'incomplete';
  const seen = await seenIn(deps, key, { ...range, shown });
  for (const orderId of new Set([...missing.map((closed) => closed.orderId), ...seen])) {
    if (await isOpenIn(deps, key, orderId)) return 'incomplete';
  }
  return stable ? undefined : 'not-stable';
}

/**
 * Payments that a watch has seen under their references, other than those that are `shown`: a row may follow none, as while people say
 * which order pays. One that was sent again since `to` may be that young.
 */
async function seenIn(
  { store }: ListReadDeps,
  key: WatchKey,
  { from, to, shown }: { from: number; to: number; shown: ReadonlySet<string> },
): Promise<string[]> {
  const open = (await store.openOrders(key, from)).flatMap(({ reference, workflowId, orderId, openedAt }) => {
    // A bank may list an exchange under one of its currencies only.
    const isPayment = workflowId === payoutWorkflowId(reference);
    return orderId !== null && isPayment && openedAt <= to && !shown.has(orderId) ? [{ reference, orderId }] : [];
  });
  if (open.length === 0) return [];
  const attempts = await store.attemptsOf(open.map(({ reference }) => reference));
  const sentSince = new Set(attempts.filter(({ sentAt }) => sentAt > to).map(({ reference }) => reference));
  return open.flatMap(({ reference, orderId }) => (sentSince.has(reference) ? [] : [orderId]));
}

/** By its id: a list that has shown it may have been wrong, and what people have closed may have ended since. */
async function isOpenIn(deps: ListReadDeps, { uid, currency }: WatchKey, orderId: string): Promise<boolean> {
  const order = await readIfThere(deps, orderId);
  const isListedHere = order?.transaction_currency === currency && (order.transaction_uid ?? uid) === uid;
  return isListedHere && !isTerminal(stageMeaning(order.stage, deps.settings.terms.closedMeans));
}

/** Notes what the list shows, then that it was read. A read whose orders could not be noted is not recorded. */
async function note(
  deps: ListReadDeps,
  key: WatchKey,
  { orders }: OrderScan,
  { from, beganAt }: { from: number; beganAt: number },
): Promise<void> {
  try {
    await noteOrders(deps, { ...key, since: from }, orders);
  } catch (error) {
    if (!isBankError(error)) throw error;
    return;
  }
  const [{ sinceOpening } = {}] = await lastReads(deps.store, [key]);
  const isThat =
    sinceOpening !== undefined &&
    beganAt >= sinceOpening.after &&
    isReached(deps, from, listedFrom(deps, sinceOpening.from));
  await deps.store.recordListRead({ ...key, beganAt, reachesFrom: from, resumption: isThat ? beganAt : null });
}

/** Nobody has sent from the store, and others may have sent what it is asked to send. */
const NEVER_OPENED = { at: 0, from: 0 };

interface LastRead {
  key: WatchKey;
  /** Undefined: the list was never read. */
  last: ListRead | undefined;
  /** The read that is required because senders have opened the store anew since the last one; undefined: none. */
  sinceOpening: DemandedRead | undefined;
}

/** The last read of each list, and the one that must follow. */
export async function lastReads(store: ListReadDeps['store'], keys: readonly WatchKey[]): Promise<LastRead[]> {
  const reads = await store.listReadsOf(keys);
  return Promise.all(
    keys.map(async (key) => {
      const last = reads.find(({ uid, currency }) => uid === key.uid && currency === key.currency);
      const readSince = last?.resumption ?? undefined;
      const { at, from } = (await store.resumed(readSince)) ?? NEVER_OPENED;
      const isRead = readSince !== undefined && readSince >= at;
      return { key, last, sinceOpening: isRead ? undefined : { after: at, from } };
    }),
  );
}

/** Whether each list was read since senders have opened the store anew. */
export async function areReadSinceOpening({ store }: ListReadDeps, lists: readonly WatchKey[]): Promise<boolean> {
  return (await lastReads(store, lists)).every(({ sinceOpening }) => sinceOpening === undefined);
}
