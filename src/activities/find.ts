import { readIfThere } from '../bank/bank-orders.ts';
import { attemptsListedFrom, clocksDisagree } from '../bank/bank-time.ts';
import type { Order } from '../bank/schemas/orders.ts';
import { type ReadDoubt, strangeIn } from '../domain/absence.ts';
import {
  type ExpectedOrder,
  isArrival,
  isIndistinct,
  isReturn,
  NO_REFERENCE,
  orderDifferences,
  REFERENCE_FORM,
  shownForm,
} from '../domain/order-judgement.ts';
import {
  narrowed,
  type ReferenceSpelling,
  referenceForm,
  shownInstead,
  spellingsOf,
} from '../domain/reference-form.ts';
import { makeOneOrder, SENDER_LIFE_MS, unsent } from '../domain/submission.ts';
import type { SwitchScope } from '../domain/switch-scope.ts';
import { switchFactsOf } from '../domain/switches.ts';
import { type Caller, rowAsRecorded } from '../store/claimed-row.ts';
import type { PayoutRecord, SendAttempt, Store } from '../store/store.ts';
import type { ActivityDeps } from './deps.ts';
import { unsentOrders } from './lists.ts';
import { type OrderKindInput, type SentForOrder, sentForOrder } from './payout.ts';
import { listsOfOrder } from './send.ts';

/**
 * What this process knows of the spellings in its store. They only become fewer, so that an order which takes none of these away
 * takes none from the store either: in the long run nothing is read or written.
 */
const seen = new WeakMap<object, readonly ReferenceSpelling[]>();

/**
 * Learns from an order how the bank spells references. One is enough, if the bank itself has returned its id for an attempt: then the
 * two belong together. A text that is no form of the reference says nothing: it is another's, or another number.
 */
export async function learnSpelling(
  store: Pick<Store, 'narrowReferenceSpellings'>,
  { reference, attempts }: { reference: string; attempts: readonly Pick<SendAttempt, 'orderId'>[] },
  { order_id: id, client_order_id: shown }: Order,
): Promise<void> {
  if (shown === undefined || referenceForm(shown, reference) === 'other') return;
  if (!attempts.some(({ orderId }) => orderId === id)) return;
  const spellings = spellingsOf(reference, shown);
  const before = seen.get(store);
  if (before !== undefined && narrowed(before, spellings).length === before.length) return;
  seen.set(store, await store.narrowReferenceSpellings(spellings));
}

/** Characters that no two of our references are expected to share (`referenceForm`). */
const BEGINNING = 16;

/**
 * What the bank shows in place of a reference, as learned; undefined if nothing was learned, or another reference that was sent
 * could be shown in the same way.
 */
export async function learnedForm(
  store: Pick<Store, 'referenceSpellings' | 'referencesSentBeginning'>,
  reference: string,
): Promise<string | undefined> {
  const shown = shownInstead(reference, await store.referenceSpellings());
  if (shown === undefined) return undefined;
  const alike = await store.referencesSentBeginning(reference.slice(0, BEGINNING));
  return alike.some((other) => other !== reference) ? undefined : shown;
}

export interface FindOrderInput extends OrderKindInput {
  /** Epoch ms: orders created since then; moved back by the clock skew, and to the first recorded attempt if that is earlier. */
  since: number;
  /** Whether two looks like this one may prove that there is no order, by the clock of the run, which counts them. */
  mayProve: boolean;
}

/** An order that may be the one sent, and the fields in which the bank shows it differently. */
export interface ShownOrder {
  orderId: string;
  differences: string[];
}

/** Result of one search through the order lists. */
export type OrderSearch = SearchedLists & AttemptsOnRecord & (OneFound | Conflict | NothingFound);

/** One order, as it was sent. */
interface OneFound {
  kind: 'found';
  orderId: string;
  /** The id that it had before, under which the bank shows nothing any more. */
  insteadOf?: string;
}

/** Which order pays, or whether one does, is for people to say. */
interface Conflict {
  kind: 'conflict';
  reason: 'duplicate-suspected' | 'reference-conflict';
  /** Ids of the orders under the reference as it was sent. */
  listed: string[];
  /** These orders, and those that show the reference in another form. */
  shown: ShownOrder[];
  isOurs: boolean;
}

/** No order under the reference. */
interface NothingFound {
  kind: 'nothing';
  /** Orders without a reference that may be this one by all else that they show. */
  shown: ShownOrder[];
  /**
   * An order is ours by all that it shows, or its id was returned by an answer and is not that of another one: absence is not
   * proven, and no person can declare it.
   */
  isOurs: boolean;
}

interface SearchedLists {
  /** Why the lists prove nothing; absent: they are complete. */
  doubt?: ReadDoubt;
  pagesRead: number;
  ordersRead: number;
}

/** What the store says of the attempts, read before the bank is asked. */
interface AttemptsOnRecord {
  /** Some attempt was answered with "already exists". */
  exists: boolean;
  /** Numbers of attempts recorded as not sent or refused. */
  unsent: number[];
  /** Numbers of all recorded attempts; nothing is sent without a record. */
  recorded: number[];
  /** Ms for which a sender may still be about to send. */
  liveForMs: number;
  /** The bank has shown a second order under some reference of this user, so it does not recognise references. */
  distrusted: boolean;
  /** Scope of a switch that forbids sending again. */
  switchedOff?: SwitchScope;
}

/**
 * One search for an order: reads the order ids accepted under its reference, then the order lists of all its currencies since its
 * first attempt, whichever run made it.
 */
export async function findOrder(deps: ActivityDeps, { runId }: Caller, input: FindOrderInput): Promise<OrderSearch> {
  const { claim, orderKind, since, recorded, mayProve } = input;
  const row = await rowAsRecorded(deps, claim, runId, recorded);
  const { reference, attempts, ownIds, sent, expected } = await sentForOrder(deps, row, input);
  expected.shownAs = await learnedForm(deps.store, reference);
  const onRecord = await attemptsOnRecord(deps, row, { attempts, sent });
  const found = new Found(expected, ownIds);
  for (const orderId of ownIds) {
    const order = await readIfThere(deps, orderId);
    if (order === undefined) continue;
    if (await isSentUnderAnother(deps, order, reference)) found.isOthers(orderId);
    else found.add(order);
  }
  // Before the time range is computed: the first answers of a process show the bank's time.
  await deps.assertIdentity();
  const sentSince = Math.min(since, ...attempts.map(({ sentAt }) => sentAt));
  const listedFrom = attemptsListedFrom(deps, sentSince, attempts);
  const before = await seenBefore(deps, row, reference);
  for (const order of before.orders) found.sort(order);
  const lists: SearchedLists = { doubt: before.isMissing ? 'incomplete' : undefined, pagesRead: 0, ordersRead: 0 };
  for (const list of await listsOfOrder(deps.bank, row, orderKind, sent)) {
    const from = mayProve ? 0 : listedFrom;
    const scan = await deps.readList({ ...list, since: sentSince, from, toProve: mayProve });
    lists.doubt = strangeIn(lists.doubt) ?? scan.doubt ?? lists.doubt;
    lists.pagesRead += scan.pagesRead;
    lists.ordersRead += scan.orders.length;
    for (const order of scan.orders) found.sort(order);
  }
  const strange = await strangeAmong(deps, found.indistinct);
  if (clocksDisagree(deps)) lists.doubt = 'clocks-apart';
  else if (strange.length > 0) lists.doubt ??= 'indistinct';
  const isOnlyOne = mayProve && lists.doubt === undefined && makeOneOrder(attempts);
  const judged = found.judged(strange, isOnlyOne);
  // The bank has accepted something: no list proves that it was not this order.
  if (judged.kind === 'nothing' && found.hasIdsOfOthers) lists.doubt ??= 'id-of-another';
  return { ...lists, ...onRecord, ...judged };
}

async function attemptsOnRecord(
  { store, now }: ActivityDeps,
  row: PayoutRecord,
  { attempts, sent }: Pick<SentForOrder, 'attempts' | 'sent'>,
): Promise<AttemptsOnRecord> {
  const inDoubt = attempts.filter(({ outcome }) => outcome === null).map(({ sentAt }) => sentAt);
  return {
    exists: attempts.some(({ outcome }) => outcome === 'exists'),
    unsent: unsent(attempts),
    recorded: attempts.map(({ attempt }) => attempt),
    liveForMs: Math.max(0, Math.max(0, ...inDoubt) + SENDER_LIFE_MS - now()),
    distrusted: await store.hasSuspectedDuplicate(row.uid),
    switchedOff: await store.matchingSwitch(switchFactsOf(row, sent === undefined ? [] : [sent])),
  };
}

/** A proxy may answer a POST with the id of another order, which shows that it was sent under a reference of its own. */
async function isSentUnderAnother({ store }: ActivityDeps, { client_order_id: shown }: Order, reference: string) {
  if (shown === undefined || referenceForm(shown, reference) !== 'other') return false;
  return (await store.attemptsOf([shown])).length > 0;
}

/** The orders that the bank has shown, sorted by how closely they match the one that was sent. */
class Found {
  /** May be this order by all that they show: not "absent". */
  readonly indistinct: Order[] = [];
  private readonly expected: ExpectedOrder;
  private readonly accepted: readonly string[];
  private readonly orders: Order[] = [];
  private readonly altered: Order[] = [];
  /** Ids that were returned for this order and belong to others. */
  private readonly others = new Set<string>();
  private arrivals = 0;

  constructor(expected: ExpectedOrder, accepted: readonly string[]) {
    this.expected = expected;
    this.accepted = accepted;
  }

  isOthers(orderId: string): void {
    this.others.add(orderId);
  }

  get hasIdsOfOthers(): boolean {
    return this.others.size > 0;
  }

  add(order: Order): void {
    const at = this.orders.findIndex(({ order_id }) => order_id === order.order_id);
    const known = this.orders[at];
    if (known === undefined) this.orders.push(order);
    // Of two orders with one id, the one that carries our reference is ours.
    else if (this.formOf(order) !== 'other' && this.formOf(known) === 'other') this.orders[at] = order;
  }

  sort(order: Order): void {
    if (isReturn(order)) return;
    const form = this.formOf(order);
    const isAccepted = this.accepted.includes(order.order_id) && !this.others.has(order.order_id);
    if (form !== 'other' && isArrival(order) && !isAccepted) this.arrivals += 1;
    else if (form === 'as-sent' || isAccepted) this.add(order);
    else if (form !== 'other') {
      if (!this.altered.some(({ order_id }) => order_id === order.order_id)) this.altered.push(order);
    } else if (isIndistinct(order, this.expected)) this.indistinct.push(order);
  }

  /** @param isOnlyOne one POST at most was executed, and the lists prove that the bank has no other order than those it shows */
  judged(strange: readonly Order[], isOnlyOne: boolean): OneFound | Conflict | NothingFound {
    const { orders, altered, expected, accepted } = this;
    // The receiving side is listed but not the order that was sent: a conflict until it is.
    const arrived = orders.length === 0 ? this.arrivals : 0;
    const shown = [...orders, ...altered].map(
      (order): ShownOrder => ({ orderId: order.order_id, differences: orderDifferences(order, expected, accepted) }),
    );
    const own = accepted.filter((id) => !this.others.has(id));
    const isOurs = arrived + own.length > 0 || shown.some(isAsSent);
    const strangers = strange.map((order) => withoutReference(order, expected));
    const listed = orders.map(({ order_id }) => order_id);
    const [orderId, ...others] = listed;
    const insteadOf = own.find((id) => !listed.includes(id));
    const isOther = altered.length + arrived > 0 || shown.some(({ differences }) => differences.length > 0);
    const conflict = { kind: 'conflict' as const, listed, shown: [...shown, ...strangers], isOurs };
    // One order was accepted and another is shown: unless it is the same one, people must say which of them pays.
    const otherAccepted = orderId !== undefined && insteadOf !== undefined;
    if (otherAccepted && others.length === 0 && isOnlyOne && !isOther) return { kind: 'found', orderId, insteadOf };
    if (others.length > 0 || otherAccepted) return { ...conflict, reason: 'duplicate-suspected' };
    if (isOther) return { ...conflict, reason: 'reference-conflict' };
    return orderId === undefined ? { kind: 'nothing', shown: strangers, isOurs } : { kind: 'found', orderId };
  }

  private formOf({ client_order_id: shown }: Order) {
    return shown === undefined ? 'other' : shownForm(shown, this.expected);
  }
}

/**
 * Orders under the reference that earlier lists have shown, as they are now: they stay a reason to doubt though no list shows them
 * any more. `isMissing`: one that this store did not send is not found; one that the watch has seen may be a list's mistake.
 */
async function seenBefore(
  deps: ActivityDeps,
  row: PayoutRecord,
  reference: string,
): Promise<{ orders: Order[]; isMissing: boolean }> {
  const unsent = (await unsentOrders(deps, row)).filter((order) => order.reference === reference);
  const ids = new Set([...unsent.map(({ orderId }) => orderId), ...(await deps.store.orderIdsSeen(reference))]);
  const orders = await Promise.all([...ids].map((orderId) => readIfThere(deps, orderId)));
  const found = orders.filter((order) => order !== undefined);
  const isMissing = unsent.some(({ orderId }) => !found.some(({ order_id }) => order_id === orderId));
  return { orders: found.filter((order) => order.client_order_id !== undefined), isMissing };
}

const withoutReference = (order: Order, expected: ExpectedOrder): ShownOrder => ({
  orderId: order.order_id,
  differences: [NO_REFERENCE, ...orderDifferences({ ...order, client_order_id: undefined }, expected)],
});

/** It is what was sent, with any form of its reference. */
const isAsSent = ({ differences }: ShownOrder): boolean => differences.every((field) => field === REFERENCE_FORM);

/** Those that are not known to be orders of other payouts. */
async function strangeAmong({ store }: ActivityDeps, orders: readonly Order[]): Promise<Order[]> {
  const strange = new Map(orders.map((order) => [order.order_id, order]));
  for (const { orderId } of await store.payoutsOfOrders([...strange.keys()])) strange.delete(orderId ?? '');
  return [...strange.values()];
}
