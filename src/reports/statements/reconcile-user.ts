import { formatMinor } from '../../domain/money.ts';
import type { OrderFacts } from '../../domain/order-judgement.ts';
import { ACCOUNT_FIELDS } from '../../domain/payee.ts';
import { isEnd, isUnpaid } from '../../domain/payout-state.ts';
import type {
  BookedLine,
  Discrepancy,
  Match,
  MovementKind,
  OurMovement,
  OurRecord,
  Reconciled,
} from '../../domain/statements/booked.ts';
import { RETURNED_WITHIN_DAYS } from '../../domain/statements/booked-as-one.ts';
import { differenceOf, incidentOf } from '../../domain/statements/discrepancies.ts';
import { coverageOf, entryOfLine, linesOf } from '../../domain/statements/lines.ts';
import { reconcile } from '../../domain/statements/matching.ts';
import { repeatsOf } from '../../domain/statements/repeats.ts';
import { returnReasonText } from '../../domain/statements/return-reasons.ts';
import { isoDate, laterDay } from '../../domain/time.ts';
import { accountKey } from '../../files/messages/mapping.ts';
import { minorOf } from '../../files/statements/statement-sink.ts';
import { orderReference } from '../../store/claimed-row.ts';
import type { BatchRecord, PayoutRecord, Store } from '../../store/store.ts';
import { type Movement, movedBy } from '../movements.ts';
import { moneyFactsOf } from '../report-source.ts';
import { reopenChanged } from './period-report.ts';

/** How many days of bookings are compared again with each statement: those of returns, and what comes late to them. */
const WINDOW_DAYS = RETURNED_WITHIN_DAYS + 15;
/** A booking of the first day may be of a payout that ended before. */
const BEFORE_DAYS = 10;

export interface ReconciliationSums {
  lines: number;
  matched: number;
  /** Open now, and how many of them are new. */
  discrepancies: number;
  isNew: number;
  returns: number;
  /** Closed periods of which the books say something else now. */
  reopened: string[];
}

/**
 * Compares all bookings of a user's accounts in the last days with our records, and stores what it finds.
 *
 * @param changedFrom the first day (ISO 8601) of what has just been taken, which may be older
 */
export async function reconcileUser(
  { store, now }: { store: Store; now(): number },
  uid: string,
  changedFrom = '9999-12-31',
): Promise<ReconciliationSums> {
  const [latest] = await store.statementsTaken({ uid, limit: 1 });
  if (latest === undefined) return { lines: 0, matched: 0, discrepancies: 0, isNew: 0, returns: 0, reopened: [] };
  const since = laterDay(latest.toDay, -WINDOW_DAYS);
  const coverage = await store.coverageSince(uid, since);
  const isKnown = coverageOf(coverage);
  const entries = await store.entriesSince(uid, since);
  const details = await store.entryDetails(entries.flatMap((it) => (it.details > 0 ? [it.entryId] : [])));
  const repeats = repeatsOf(entries, coverage);
  const lines = linesOf(
    entries.filter(({ entryId }) => !repeats.has(entryId)),
    details,
    isKnown,
  );
  const decisions = await store.entryDecisions(uid);
  const hands = decisions.map(({ lineId, reference }) => {
    return { lineId: repeats.get(lineId) ?? lineId, reference: reference ?? undefined };
  });
  const records = await recordsFor(
    store,
    uid,
    since,
    lines,
    hands.flatMap(({ reference }) => reference ?? []),
  );
  const found = reconcile({
    ...{ lines, records, byHand: hands },
    isCovered: (accountId, day) => day >= since && isKnown(accountId, day),
  });
  const at = now();
  const matches = [...found.matches, ...repeatedMatches(found.matches, repeats)];
  const { kept, explained } = await store.recordReconciliation({ uid, since, at }, matches, found.discrepancies);
  const fromOrders = new Set(coverage.flatMap(({ kind, accountId }) => (kind === 'orders' ? [accountId] : [])));
  for (const [index, { discrepancyId, isNew }] of kept.entries()) {
    const discrepancy = found.discrepancies[index];
    if (isNew && discrepancy !== undefined) {
      await openIncident(store, discrepancy, discrepancyId, {
        at,
        isFromOrders: fromOrders.has(discrepancy.accountId),
      });
    }
  }
  const explanation = { by: 'bank', reason: 'a later statement, or a person, explains it', at };
  for (const incidentId of explained) await store.acknowledgeIncident(incidentId, explanation);
  await recordReturns(store, found, at);
  const reopened = await reopenChanged(store, { uid, since: since < changedFrom ? since : changedFrom, at });
  return {
    lines: lines.length,
    matched: new Set(found.matches.map(({ lineId }) => lineId)).size,
    discrepancies: found.discrepancies.length,
    isNew: kept.filter((it) => it.isNew).length,
    returns: found.returns.length,
    reopened,
  };
}

/** A booking that a statement repeats is the same there. */
function repeatedMatches(matches: readonly Match[], repeats: ReadonlyMap<string, string>): Match[] {
  if (repeats.size === 0) return [];
  const byEntry = Map.groupBy(matches, ({ lineId }) => entryOfLine(lineId));
  return [...repeats].flatMap(([entryId, first]) =>
    (byEntry.get(first) ?? []).map((it) => ({ ...it, lineId: `${entryId}${it.lineId.slice(first.length)}` })),
  );
}

/** Payouts of these days, and older ones that a booking or a person names. */
async function recordsFor(
  store: Store,
  uid: string,
  since: string,
  lines: readonly BookedLine[],
  named: readonly string[],
): Promise<OurRecord[]> {
  const ours = new OurSide(store);
  const records: OurRecord[] = [];
  const from = Date.parse(laterDay(since, -BEFORE_DAYS));
  const seen = new Set<string>();
  for await (const page of store.payoutsEndedSince(uid, from)) {
    for (const { reference } of page) seen.add(reference);
    records.push(...(await ours.recordsOf(page)));
  }
  for (const card of await store.cardsSucceededSince(from)) {
    const account = lines.find(({ currency, direction }) => currency === card.currency && direction === 'credit');
    if (account !== undefined) records.push(cardRecord(card, account.accountId));
  }
  const texts = [...named, ...lines.flatMap(({ direction, references }) => (direction === 'credit' ? references : []))];
  const old = new Map<string, PayoutRecord>();
  for (const payout of [...(await store.payoutsOf(texts)), ...(await store.payoutsOfOrders(texts))]) {
    if (!seen.has(payout.reference)) old.set(payout.reference, payout);
  }
  // Their own bookings are of days that are not compared again.
  const older = await ours.recordsOf([...old.values()]);
  return [...records, ...older.map((record) => ({ ...record, movements: [] }))];
}

async function openIncident(
  store: Store,
  discrepancy: Discrepancy,
  discrepancyId: string,
  { at: seenAt, isFromOrders }: { at: number; isFromOrders: boolean },
): Promise<void> {
  const kind = incidentOf(discrepancy, isFromOrders);
  if (kind === undefined) return;
  const { lineIds, ours, ourCurrency, booked, currency } = discrepancy;
  const [lineId = ''] = lineIds;
  const reference = discrepancy.reference ?? lineId;
  const payout = await store.payout(reference);
  const amount = (minor: bigint | undefined, of: string): string | undefined =>
    minor === undefined ? undefined : `${formatMinor(minor, of)} ${of}`;
  const values = { ours: amount(ours, ourCurrency), booked: amount(booked, currency) };
  const incident = {
    ...{ kind, reference, orderId: payout?.orderId ?? (lineId || reference), seenAt },
    differs: differenceOf(discrepancy.kind, values),
  };
  await store.recordIncident(incident);
  const found = (await store.incidentsOf([reference])).find(
    (it) => it.kind === kind && it.differs?.field === incident.differs.field,
  );
  if (found !== undefined) await store.noteDiscrepancyIncident(discrepancyId, found.id);
}

/** As the comparison of order lists records them: with the incident that lets people agree that it is paid again. */
async function recordReturns(store: Store, { returns }: Reconciled, seenAt: number): Promise<void> {
  for (const { orderId, shownBy, reference, minor, currency, on, reason } of returns) {
    const amount = formatMinor(minor, currency);
    const { code: reasonCode = null, text: reasonText = null } = reason ?? {};
    const { isNew } = await store.recordReturn({
      ...{ orderId, shownBy, reference, amount, currency, reasonCode, reasonText, seenAt },
    });
    if (!isNew || (await store.payout(reference))?.state !== 'completed') continue;
    const order: OrderFacts = {
      ...{ order_id: orderId, status: returnReasonText(reason) ?? 'booked', stage: 'paid', created_at: Date.parse(on) },
      ...{ transaction_amount: amount, transaction_currency: currency },
    };
    await store.recordIncident({ kind: 'returned', reference, orderId, order, seenAt });
  }
}

/** What our records say that moved, to be compared with statements. */
class OurSide {
  private readonly store: Store;
  private readonly batches = new Map<string, BatchRecord | undefined>();

  constructor(store: Store) {
    this.store = store;
  }

  async recordsOf(payouts: readonly PayoutRecord[]): Promise<OurRecord[]> {
    const records: OurRecord[] = [];
    for (const [payout, { attempts, booked, ...facts }] of await moneyFactsOf(this.store, payouts)) {
      const sent = { attempts: attempts.payment, exchangeAttempts: attempts.exchange };
      // What an incident leaves in doubt is just what is to be compared.
      const { movements } = movedBy({ ...facts, ...sent, payout, exchange: booked, incidents: [] });
      const orders = [...sent.attempts, ...sent.exchangeAttempts].map(({ orderId }) => orderId);
      const own = movements.filter(
        (it) => payout.kind !== 'exchange' || (it.kind !== 'payment' && !it.id.endsWith('-F')),
      );
      const posted = own.flatMap((movement) => postedBy(payout, movement));
      records.push({
        ...(await this.about(payout, [...orders, booked?.orderId ?? null])),
        movements: [...posted, ...assumed(payout, posted), ...arrival(payout)],
      });
    }
    return records;
  }

  private async about(payout: PayoutRecord, orders: readonly (string | null)[]): Promise<Omit<OurRecord, 'movements'>> {
    const { reference, documentId, state, endedAt, original, orderId, batchId, instruction, amount, currency } = {
      ...payout,
      ...payout.instruction,
    };
    const { endToEndId, uetr, instructionId } = original ?? {};
    const ids = [orderReference(payout, 'exchange'), orderId, ...orders, endToEndId, uetr, instructionId];
    const message = batchId === null ? undefined : (await this.batchOf(batchId))?.message;
    const payee = ACCOUNT_FIELDS.map((field) => instruction[field]).find((it) => it !== undefined && it !== '');
    return {
      ...{ reference, documentId },
      state: isUnpaid(state) ? 'unpaid' : isEnd(state) ? 'paid' : state === 'needs-operator' ? 'waits' : 'open',
      endedOn: endedAt === null ? undefined : isoDate(endedAt),
      names: [...new Set(ids.flatMap((id) => id ?? []))].filter((id) => id !== reference),
      asked: { accountId: instruction.account_id, currency, minor: minorOf(amount, currency) ?? 0n },
      batch: {
        batchId: batchId ?? undefined,
        messageId: message?.messageId,
        paymentId: original === null ? undefined : message?.payments[original.payment]?.paymentId,
      },
      payeeAccount: payee === undefined ? undefined : accountKey(payee).toUpperCase(),
    };
  }

  private async batchOf(batchId: string): Promise<BatchRecord | undefined> {
    if (!this.batches.has(batchId)) this.batches.set(batchId, await this.store.batch(batchId));
    return this.batches.get(batchId);
  }
}

function postedBy({ reference, kind }: PayoutRecord, movement: Movement): OurMovement[] {
  const movedAs: MovementKind = movement.kind === 'payment' && kind === 'transfer' ? 'transfer' : movement.kind;
  return movement.postings.map(({ accountId, currency, amount, direction }, index) => ({
    id: index === 0 ? movement.id : `${movement.id}${index}`,
    ...{ kind: movedAs, reference, accountId, currency, direction },
    minor: minorOf(amount, currency) ?? 0n,
    on: isoDate(movement.at),
    ...(movement.kind === 'return' && movement.orderId !== null && { orderId: movement.orderId }),
  }));
}

/** For a completed payout whose order nobody read: what was asked for, and the fee. */
function assumed(payout: PayoutRecord, posted: readonly OurMovement[]): OurMovement[] {
  const { state, kind, reference, instruction, endedAt, updatedAt, fee, feeCurrency } = payout;
  const { account_id: accountId, currency, amount } = instruction;
  const isKnown = kind === 'exchange' || posted.some((it) => it.kind === 'payment' || it.kind === 'transfer');
  if (isKnown || !isEnd(state) || isUnpaid(state)) return [];
  const id = reference.replaceAll('-', '');
  const left = { reference, accountId, currency, direction: 'debit', on: isoDate(endedAt ?? updatedAt) } as const;
  const feeMinor = feeCurrency === currency ? (minorOf(fee ?? '0', currency) ?? 0n) : 0n;
  return [
    {
      id: `${id}-P`,
      kind: kind === 'transfer' ? 'transfer' : 'payment',
      ...left,
      minor: minorOf(amount, currency) ?? 0n,
    },
    ...(feeMinor > 0n ? [{ id: `${id}-F`, kind: 'fee', ...left, minor: feeMinor } as const] : []),
  ];
}

/** The other side of a transfer, on its own account. */
function arrival({ kind, state, reference, instruction, endedAt, updatedAt }: PayoutRecord): OurMovement[] {
  const { to_account_id: accountId, currency, amount } = instruction;
  if (kind !== 'transfer' || accountId === undefined || !isEnd(state) || isUnpaid(state)) return [];
  const [minor, on] = [minorOf(amount, currency) ?? 0n, isoDate(endedAt ?? updatedAt)];
  const id = `${reference.replaceAll('-', '')}-A`;
  return [{ id, kind: 'transfer', reference, accountId, currency, direction: 'credit', minor, on }];
}

/** A card payment is settled on an account of its currency; which one, nobody says. */
function cardRecord(
  { merchantRequestId: reference, paymentId, amount, currency, endedAt }: CardMoney,
  accountId: string,
): OurRecord {
  const minor = minorOf(amount, currency) ?? 0n;
  const on = isoDate(endedAt ?? 0);
  return {
    ...{ reference, documentId: reference, state: 'paid', endedOn: on, names: paymentId === null ? [] : [paymentId] },
    ...{ asked: { accountId, currency, minor }, payeeAccount: undefined },
    batch: { batchId: undefined, messageId: undefined, paymentId: undefined },
    movements: [
      { id: `card-${reference}`, kind: 'card', reference, accountId, currency, direction: 'credit', minor, on },
    ],
  };
}

type CardMoney = Awaited<ReturnType<Store['cardsSucceededSince']>>[number];
