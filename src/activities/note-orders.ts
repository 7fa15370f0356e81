import { readIfThere } from '../bank/bank-orders.ts';
import type { Order } from '../bank/schemas/orders.ts';
import { agreedCost } from '../domain/agreed-cost.ts';
import { referenceOf } from '../domain/identity.ts';
import { mainOrderKindOf, type OrderKind } from '../domain/names.ts';
import { isArrival, isReturn, type OrderFacts } from '../domain/order-judgement.ts';
import { stageMeaning } from '../domain/order-status.ts';
import { isEnd } from '../domain/payout-state.ts';
import {
  addFindings,
  type BookedValues,
  type ExpectedTerms,
  type Fact,
  factsOfExchange,
  factsOfPayment,
  type Incident,
  NOTHING_FOUND,
  type ReconciliationFindings,
  type Return,
  type StoredExchange,
} from '../domain/reconciliation.ts';
import {
  ByReference,
  mayBeAltered,
  mayBeOurs,
  mayBeSpelled,
  ownStem,
  referenceForm,
} from '../domain/reference-form.ts';
import { expectedOrder, type SentOrder } from '../domain/sent-order.ts';
import { mayBeOrderOf, orderAsked } from '../domain/submission.ts';
import { capsOf } from '../people/decisions/asked.ts';
import { orderReference } from '../store/claimed-row.ts';
import type { BookedExchange, PayoutRecord, SendAttempt, UnaskedOrder, WatchKey } from '../store/store.ts';
import type { ActivityDeps, ListReadDeps } from './deps.ts';

type Judge = (orders: readonly Order[]) => Fact[];

/** Judges the orders of these rows by what the store has of them: what was sent, what was booked, what people accepted. */
async function resolvedOrders({ store, settings }: ListReadDeps, rows: readonly PayoutRecord[]) {
  const references = rows.map(({ reference }) => reference);
  const booked = new Map((await store.bookedExchangesOf(references)).map((it) => [it.reference, it]));
  const accepted = Map.groupBy(await store.acceptedDifferencesOf(references), ({ reference }) => reference);
  const { terms } = settings;
  const { closedMeans } = terms;
  const termsOf = (row: PayoutRecord, orderKind: OrderKind, attempts: readonly SendAttempt[]): ExpectedTerms => {
    const sent = orderAsked<SentOrder>(attempts);
    const exchange = orderKind === 'exchange' ? booked.get(row.reference) : undefined;
    const isMain = orderKind === mainOrderKindOf(row.kind);
    const ids = [...attempts.map(({ orderId }) => orderId), isMain ? row.orderId : null, exchange?.orderId ?? null];
    return {
      expected: expectedOrder(orderKind, orderReference(row, orderKind), row.instruction, row.assessed, sent),
      ownIds: [...new Set(ids.filter((id) => id !== null))],
      booked: exchange === undefined ? bookedFee(row, isMain) : bookedValues(exchange),
      ...(isMain && { feeAtMost: agreedCost({ fee: row.assessed?.fee }, capsOf(row, terms)).feeAtMost }),
      ...(sent !== undefined &&
        'destinationUid' in sent && { arrivesAt: { uid: sent.destinationUid, accountId: sent.destinationAccountId } }),
      accepted: accepted.get(row.reference) ?? [],
    };
  };
  return {
    /** Orders under the row's own reference. */
    ofRow(row: PayoutRecord, attempts: readonly SendAttempt[] = []): Judge {
      const orderKind = mainOrderKindOf(row.kind);
      const known = termsOf(row, orderKind, attempts);
      const exchange = { accepted: row.orderId === null ? [] : [row.orderId], isBooked: false };
      return orderKind === 'exchange'
        ? (orders) => factsOfExchange(row, exchange, orders, closedMeans, known)
        : (orders) => factsOfPayment(row, orders, closedMeans, known);
    },
    /** Orders under the derived reference of a payout's exchange; without `attempts`, the store has forgotten them. */
    ofExchange(row: PayoutRecord, attempts: readonly SendAttempt[] | undefined): Judge {
      const known = termsOf(row, 'exchange', attempts ?? []);
      const isPaid = attempts?.some(({ resolved }) => resolved === 'paid') === true;
      const exchange: StoredExchange = {
        accepted: known.ownIds,
        isBooked: isPaid || booked.has(row.reference),
        isForgotten: attempts === undefined,
      };
      return (orders) => factsOfExchange(row, exchange, orders, closedMeans, known);
    },
  };
}

const bookedValues = ({ orderId, fee, feeCurrency, soldAmount, rate }: BookedExchange): BookedValues => ({
  orderId,
  fee: fee ?? undefined,
  feeCurrency: feeCurrency ?? undefined,
  sellAmount: soldAmount ?? undefined,
  rate: rate ?? undefined,
});

/** Of a completed payment or transfer. */
const bookedFee = ({ state, orderId, fee, feeCurrency }: PayoutRecord, isMain: boolean): BookedValues | undefined =>
  isMain && state === 'completed' && orderId !== null
    ? { orderId, fee: fee ?? undefined, feeCurrency: feeCurrency ?? undefined }
    : undefined;

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
  deps: ListReadDeps,
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

  const resolved = await resolvedOrders(deps, [...payouts.values(), ...owners.values(), ...renamed.values()]);
  const note = notes(deps, list);
  for (const [reference, under] of byReference) {
    const payout = payouts.get(reference ?? '');
    const owner = owners.get(reference ?? '');
    const attempts = sent.get(reference ?? '');
    if (payout !== undefined) {
      await note.facts(await judged(deps, under, resolved.ofRow(payout, attempts)), payout);
      note.unsent(under, { ...payout, under: payout.reference }, attempts);
    } else if (owner !== undefined) {
      await note.facts(await judged(deps, under, resolved.ofExchange(owner, attempts)));
      if (attempts === undefined) await keepBooked(deps, owner, under);
      note.unsent(under, { ...owner, under: reference ?? '', orderId: null }, attempts);
    } else if (attempts === undefined) {
      for (const order of under) {
        const ended = renamed.get(order.order_id);
        if (ended !== undefined) await note.facts(await judged(deps, [order], resolved.ofRow(ended)), ended);
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
  { store, settings }: ListReadDeps,
  { uid, since }: OrderList,
  orders: readonly Order[],
): Promise<Map<string, string>> {
  const spellings = (await store.referenceSpellings()) ?? [];
  const odd = orders.filter(
    ({ client_order_id: shown }) => shown === undefined || mayBeAltered(shown) || mayBeSpelled(shown, spellings),
  );
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
async function endedByOrder({ store }: ListReadDeps, orders: readonly Order[]): Promise<Map<string, PayoutRecord>> {
  const owners = await store.payoutsOfOrders(orders.map(({ order_id }) => order_id));
  return new Map(owners.flatMap((owner) => (isEnd(owner.state) ? [[owner.orderId ?? '', owner]] : [])));
}

/**
 * An older copy of the store has forgotten the exchange of an ended payout: what the bank books for it is kept for the report.
 */
async function keepBooked(deps: ListReadDeps, owner: PayoutRecord, orders: readonly Order[]): Promise<void> {
  const isPaid = ({ stage }: Order): boolean => stageMeaning(stage, deps.settings.terms.closedMeans) === 'paid';
  const listed = orders.find(isPaid);
  if (listed === undefined || !isEnd(owner.state)) return;
  if ((await deps.store.bookedExchangesOf([owner.reference])).length > 0) return;
  const order = await asItIsNow(deps, listed);
  if (isPaid(order)) await deps.store.recordBookedExchange(bookedExchange(owner, order, deps.now()));
}

/** Payouts by the derived reference of their exchange. */
async function exchangeOwners(
  { store, settings }: ListReadDeps,
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

/** Facts, and the orders that they are about. */
interface Judged {
  orders: readonly Order[];
  facts: readonly Fact[];
}

/** A list may lag: orders that look like incidents are read by id and judged again. */
async function judged(
  deps: ListReadDeps,
  orders: readonly Order[],
  judge: (orders: readonly Order[]) => Fact[],
): Promise<Judged> {
  const facts = judge(orders);
  const suspects = new Set(facts.filter(({ kind }) => kind !== 'return').map(({ orderId }) => orderId));
  if (suspects.size === 0) return { orders, facts };
  const read = await Promise.all(
    orders.map((order) => (suspects.has(order.order_id) ? asItIsNow(deps, order) : order)),
  );
  return { orders: read, facts: judge(read) };
}

/** The list's record is kept if no order is found, which proves nothing, or one of another reference that has the same id. */
async function asItIsNow(deps: ListReadDeps, listed: Order): Promise<Order> {
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
function notes({ store, now }: ListReadDeps, { uid, currency }: OrderList) {
  let found = NOTHING_FOUND;
  /** Stored together at the end: an account that others use too shows many at each read. */
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
    payout: PayoutRecord | undefined,
  ): Promise<void> => {
    if (amount === undefined) {
      for (const order of orders) if (order.order_id === orderId) unasked(order);
      return;
    }
    const kept = await store.recordReturn({ orderId, reference, amount, currency: its, seenAt: now() });
    count({ returns: 1 }, kept.isNew ? 1 : 0);
    // For people: a payout that is still open has no end that they could rely on.
    if (payout?.state !== 'completed') return;
    const order = orders.find(({ order_id: id }) => id === orderId);
    await store.recordIncident({ kind: 'returned', reference, orderId: kept.orderId, order, seenAt: now() });
  };
  const incident = async (orders: readonly Order[], shown: Incident): Promise<void> => {
    const order = orders.find(({ order_id: id }) => id === shown.orderId);
    const recorded = await store.recordIncident({ ...shown, order, seenAt: now() });
    // Acknowledged incidents are no findings.
    if (recorded !== 'acknowledged') count({ incidents: 1, shown: [shown] }, recorded === 'recorded' ? 1 : 0);
  };
  return {
    unasked,
    /**
     * Orders under a reference of an open row. None of its attempts explains one: another copy of the store has sent it, or the
     * bank has executed what it refused, or what was proven absent. One in doubt may have made it: its run is to search again, also
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
    /** `payout`: whose own orders they are; absent for those of its exchange. */
    async facts({ orders, facts }: Judged, payout?: PayoutRecord): Promise<void> {
      for (const fact of facts)
        await (fact.kind === 'return' ? moneyBack(orders, fact, payout) : incident(orders, fact));
    },
    async findings(): Promise<ReconciliationFindings> {
      for (const [reference, orderId] of inDoubt) await store.noteOrder(reference, { orderId });
      count({ unaskedOrders: unaskedOrders.length }, await store.recordUnaskedOrders(unaskedOrders));
      return found;
    },
  };
}

/**
 * Contradictions between the end of a payout and what the bank shows now, read by order id and recorded as incidents. An order
 * that is not found proves nothing.
 */
export async function contradictions(deps: ActivityDeps, payout: PayoutRecord): Promise<Incident[]> {
  const { store, settings, now } = deps;
  const attempts = await store.attemptsOf([payout.reference]);
  const ids = new Set([payout.orderId, ...attempts.map(({ orderId }) => orderId)].filter((id) => id !== null));
  const orders = await Promise.all([...ids].map((id) => readIfThere(deps, id)));
  const shown = orders.filter((order) => order !== undefined);
  const found = factsOfPayment(payout, shown, settings.terms.closedMeans).filter((fact) => fact.kind !== 'return');
  for (const incident of found) {
    const order = shown.find(({ order_id: id }) => id === incident.orderId);
    await store.recordIncident({ ...incident, order, seenAt: now() });
  }
  return found;
}

/** What was sold and bought, and the fee, for the report. */
export const bookedExchange = ({ reference }: PayoutRecord, order: OrderFacts, seenAt: number): BookedExchange => ({
  reference,
  orderId: order.order_id,
  soldAmount: order.sell_amount ?? null,
  soldCurrency: order.sell_currency ?? null,
  boughtAmount: order.buy_amount ?? null,
  boughtCurrency: order.buy_currency ?? null,
  rate: order.rate ?? null,
  fee: order.fee ?? null,
  feeCurrency: order.fee_currency ?? null,
  seenAt,
});
