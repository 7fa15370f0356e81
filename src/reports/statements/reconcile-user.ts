import { formatMinor } from '../../domain/money.ts';
import type { OrderFacts } from '../../domain/order-judgement.ts';
import type { BookedLine, Discrepancy, Match, OurRecord, Reconciled } from '../../domain/statements/booked.ts';
import { differenceOf, incidentOf } from '../../domain/statements/discrepancies.ts';
import { coverageOf, entryOfLine, linesOf } from '../../domain/statements/lines.ts';
import { reconcile } from '../../domain/statements/matching.ts';
import { RETURNED_WITHIN_DAYS } from '../../domain/statements/may-come-back.ts';
import { repeatsOf } from '../../domain/statements/repeats.ts';
import { returnReasonText } from '../../domain/statements/return-reasons.ts';
import { laterDay } from '../../domain/time.ts';
import type { PayoutRecord, Store } from '../../store/store.ts';
import { cardRecord, OurSide } from './our-side.ts';
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
