import { readIfThere } from '../../bank/bank-orders.ts';
import type { Order } from '../../bank/schemas/orders.ts';
import { referenceOf } from '../../domain/identity.ts';
import { isArrival, isReturn } from '../../domain/order-judgement.ts';
import { stageMeaning } from '../../domain/order-status.ts';
import { isEnd } from '../../domain/payout-state.ts';
import type { Fact, Incident, Return } from '../../domain/reconciliation.ts';
import { addFindings, NOTHING_FOUND, type ReconciliationFindings } from '../../domain/reconciliation-pass.ts';
import { ByReference, mayBeAltered, mayBeOurs, ownStem, referenceForm } from '../../domain/reference-form.ts';
import { mayBeOrderOf } from '../../domain/submission.ts';
import type { PayoutRecord, SendAttempt, UnaskedOrder, WatchKey } from '../../store/store.ts';
import { bookedExchange } from '../booked-exchange.ts';
import type { LookDeps } from '../look-at-list.ts';
import { settledLegs } from './settled-legs.ts';

/** The list that the orders come from. */
interface OrderList extends WatchKey {
  /** Epoch ms: no order in it was created before. */
  since: number;
}

/**
 * Compares listed orders with what is stored under their references and records what follows: money returned, incidents, orders
 * that are not ours. Expects all orders that the list shows under each reference. Reads the bank only if it suspects an incident;
 * throws a `BankError` if that fails.
 */
export async function noteOrders(
  deps: LookDeps,
  list: OrderList,
  orders: readonly Order[],
): Promise<ReconciliationFindings> {
  const sentAs = await sentReferences(deps, list, orders);
  const byReference = Map.groupBy(
    orders,
    ({ order_id, client_order_id: shown }) => sentAs.get(shown ?? order_id) ?? shown,
  );
  const references = [...byReference.keys()].filter((reference) => reference !== undefined);
  const payouts = new Map((await deps.store.payoutsOf(references)).map((payout) => [payout.reference, payout]));
  const others = references.filter((reference) => !payouts.has(reference));
  const sent = Map.groupBy(await deps.store.attemptsOf(references), ({ reference }) => reference);
  const unknownExchanges = others.filter((reference) => {
    const isExchange = byReference.get(reference)?.some(({ type }) => type === 'FX') === true;
    return isExchange && !sent.has(reference) && mayBeOurs(reference);
  });
  // A store that was never replaced has forgotten nothing: somebody else has sent them.
  const isReplaced = unknownExchanges.length > 0 && (await deps.store.restored()) !== undefined;
  const forgotten = isReplaced ? unknownExchanges : [];
  const exchanges = others.filter((reference) => sent.has(reference));
  const owners = await exchangeOwners(deps, list, new Set([...exchanges, ...forgotten]));
  const strange = others.filter((reference) => !sent.has(reference) && !owners.has(reference));
  const renamed = await endedByOrder(
    deps,
    strange.flatMap((reference) => byReference.get(reference) ?? []),
  );

  const settled = await settledLegs(deps, [...payouts.values(), ...owners.values(), ...renamed.values()]);
  const note = notes(deps, list);
  for (const [reference, under] of byReference) {
    const payout = payouts.get(reference ?? '');
    const owner = owners.get(reference ?? '');
    const attempts = sent.get(reference ?? '');
    if (payout !== undefined) {
      await note.facts(under, await judged(deps, under, settled.ofRow(payout, attempts)));
      note.unsent(under, { ...payout, under: payout.reference }, attempts);
    } else if (owner !== undefined) {
      await note.facts(under, await judged(deps, under, settled.ofExchange(owner, attempts)));
      if (attempts === undefined) await keepBooked(deps, owner, under);
      note.unsent(under, { ...owner, under: reference ?? '', orderId: null }, attempts);
    } else if (attempts === undefined) {
      for (const order of under) {
        const ended = renamed.get(order.order_id);
        if (ended !== undefined) await note.facts([order], await judged(deps, [order], settled.ofRow(ended)));
        else if (mayBeSent(order)) note.unasked(order);
      }
    }
  }
  return note.findings();
}

/**
 * Our references by what the bank shows in their place: another form of the reference, or nothing, and then by order id. Payments
 * are then known by order id; anything else (exchanges, returns, second orders) costs a read of all documents of the user.
 */
async function sentReferences(
  { store, settings }: LookDeps,
  { uid, since }: OrderList,
  orders: readonly Order[],
): Promise<Map<string, string>> {
  const odd = orders.filter(({ client_order_id: shown }) => shown === undefined || mayBeAltered(shown));
  const owners = await store.payoutsOfOrders(odd.map(({ order_id }) => order_id));
  const ofOrder = new Map(owners.map(({ orderId, reference }) => [orderId, reference]));
  const sentAs = new Map<string, string>();
  const altered = new Set<string>();
  for (const { order_id, client_order_id: shown } of odd) {
    const reference = ofOrder.get(order_id);
    if (shown !== undefined) altered.add(shown);
    if (reference !== undefined && referenceForm(shown ?? reference, reference) !== 'other')
      sentAs.set(shown ?? order_id, reference);
  }
  for (const shown of sentAs.keys()) altered.delete(shown);
  if (altered.size === 0) return sentAs;
  // `since` is bank time, the store's times are ours.
  const documents = await store.documentsOf(uid, since - settings.clockSkewMs);
  const sent = new ByReference(
    documents.flatMap(({ reference, documentId, generation }) =>
      [reference, referenceOf(uid, documentId, 'exchange', generation)].map((of): [string, string] => [of, of]),
    ),
  );
  for (const shown of altered) {
    const reference = sent.find(shown);
    if (reference !== undefined) sentAs.set(shown, reference);
  }
  return sentAs;
}

/** Ended payouts by the ids of their orders, which the bank now shows under references that are not ours. */
async function endedByOrder({ store }: LookDeps, orders: readonly Order[]): Promise<Map<string, PayoutRecord>> {
  const owners = await store.payoutsOfOrders(orders.map(({ order_id }) => order_id));
  return new Map(owners.flatMap((owner) => (isEnd(owner.state) ? [[owner.orderId ?? '', owner]] : [])));
}

/**
 * An older copy of the store has forgotten the exchange of an ended payout: what the bank books for it is kept for the report.
 */
async function keepBooked(deps: LookDeps, owner: PayoutRecord, orders: readonly Order[]): Promise<void> {
  const isPaid = ({ stage }: Order): boolean => stageMeaning(stage, deps.settings.terms.closedMeans) === 'paid';
  const listed = orders.find(isPaid);
  if (listed === undefined || !isEnd(owner.state)) return;
  if ((await deps.store.bookedExchangesOf([owner.reference])).length > 0) return;
  const order = await asItStands(deps, listed);
  if (isPaid(order)) await deps.store.recordBookedExchange(bookedExchange(owner, order, deps.now()));
}

/** Payouts by the derived reference of their exchange. */
async function exchangeOwners(
  { store, settings }: LookDeps,
  { uid, since }: OrderList,
  exchanges: ReadonlySet<string>,
): Promise<Map<string, PayoutRecord>> {
  if (exchanges.size === 0) return new Map();
  const derived = new Map<string, string>();
  // `since` is bank time, the store's times are ours.
  for (const { reference, documentId, generation } of await store.documentsOf(uid, since - settings.clockSkewMs)) {
    const exchange = referenceOf(uid, documentId, 'exchange', generation);
    if (exchanges.has(exchange)) derived.set(reference, exchange);
  }
  const owners = await store.payoutsOf([...derived.keys()]);
  return new Map(owners.map((owner) => [derived.get(owner.reference) ?? '', owner]));
}

/** A list may lag: orders that look like incidents are read by id and judged again. */
async function judged(
  deps: LookDeps,
  orders: readonly Order[],
  judge: (orders: readonly Order[]) => Fact[],
): Promise<Fact[]> {
  const listed = judge(orders);
  const suspects = new Set(listed.filter(({ kind }) => kind !== 'return').map(({ orderId }) => orderId));
  if (suspects.size === 0) return listed;
  const read = orders.map((order) => (suspects.has(order.order_id) ? asItStands(deps, order) : order));
  return judge(await Promise.all(read));
}

/** The list's record stands if no order is found, which proves nothing, or one of another reference that has the same id. */
async function asItStands(deps: LookDeps, listed: Order): Promise<Order> {
  const read = await readIfThere(deps, listed.order_id);
  const { client_order_id: shown = '' } = listed;
  const isOther = read?.client_order_id !== undefined && referenceForm(read.client_order_id, shown) === 'other';
  return read === undefined || (shown !== '' && isOther) ? listed : read;
}

/** Money that others send to the account, a transfer included, is no order that anybody sent from it. */
const mayBeSent = (order: Order): boolean => !isReturn(order) && !isArrival(order);

/** The row that orders are shown for, and the reference that they are shown under. */
type OpenRow = Pick<PayoutRecord, 'state' | 'orderId'> & { under: string };

/** Stores facts and counts them; what is left is stored when the findings are asked for. */
function notes({ store, now }: LookDeps, { uid, currency }: OrderList) {
  let found = NOTHING_FOUND;
  /** Stored together at the end: an account that others use too shows many at each look. */
  const unaskedOrders: UnaskedOrder[] = [];
  /** By reference in the open set: an order that an attempt without an order id may have made. */
  const inDoubt = new Map<string, string>();
  /** `recorded`: how many of `more` are new. */
  const count = (more: Partial<ReconciliationFindings>, recorded: number): void => {
    found = addFindings(found, { ...NOTHING_FOUND, ...more, recorded });
  };
  const unasked = (shown: Order): void => {
    const { order_id: orderId, client_order_id: clientOrderId = null } = shown;
    const stem = ownStem(shown.client_order_id);
    unaskedOrders.push({ orderId, uid, currency, clientOrderId, stem, shown, seenAt: now() });
  };
  /** A return without an amount fits in no sum and is recorded as an unasked order, for people. */
  const moneyBack = async (
    orders: readonly Order[],
    { orderId, reference, amount, currency: its = currency }: Return,
  ): Promise<void> => {
    if (amount === undefined) {
      for (const order of orders) if (order.order_id === orderId) unasked(order);
      return;
    }
    const entry = { orderId, reference, amount, currency: its, seenAt: now() };
    count({ returns: 1 }, (await store.recordReturn(entry)) ? 1 : 0);
  };
  const incident = async (shown: Incident): Promise<void> => {
    const recorded = await store.recordIncident({ ...shown, seenAt: now() });
    // Acknowledged incidents are no findings.
    if (recorded !== 'acknowledged') count({ incidents: 1, shown: [shown] }, recorded === 'recorded' ? 1 : 0);
  };
  return {
    unasked,
    /**
     * Orders under a reference of an open row. None of its attempts explains one: another copy of the store has sent it, or the
     * bank has executed what it refused, or what was proven absent. One in doubt may have made it: its run is to look again, also
     * if it has found no order before.
     */
    unsent(orders: readonly Order[], { state, orderId, under }: OpenRow, attempts: readonly SendAttempt[] = []): void {
      if (isEnd(state)) return;
      for (const order of orders) {
        const { order_id: id } = order;
        if (!mayBeSent(order) || id === orderId || attempts.some((attempt) => attempt.orderId === id)) continue;
        if (mayBeOrderOf(attempts, id)) inDoubt.set(under, id);
        else unasked(order);
      }
    },
    async facts(orders: readonly Order[], facts: readonly Fact[]): Promise<void> {
      for (const fact of facts) await (fact.kind === 'return' ? moneyBack(orders, fact) : incident(fact));
    },
    async findings(): Promise<ReconciliationFindings> {
      for (const [reference, orderId] of inDoubt) await store.noteOrder(reference, { orderId });
      count({ unaskedOrders: unaskedOrders.length }, await store.recordUnaskedOrders(unaskedOrders));
      return found;
    },
  };
}
