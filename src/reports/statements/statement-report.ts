import { iso, isoOrNull } from '../../domain/display.ts';
import { formatMinor, type Sum, sumDecimals } from '../../domain/money.ts';
import { DISCREPANCIES } from '../../domain/statements/discrepancies.ts';
import { entryOfLine, type KeptEntry } from '../../domain/statements/lines.ts';
import { repeatsOf } from '../../domain/statements/repeats.ts';
import { returnReasonText } from '../../domain/statements/return-reasons.ts';
import { signed } from '../../domain/statements/statement.ts';
import { laterDay } from '../../domain/time.ts';
import type { DiscrepancyRecord, PayoutRecord, StatementRecord, Store } from '../../store/store.ts';
import { csvText } from '../write-csv.ts';
import { maskedAccount } from './take-statement.ts';

/** Where the books of the bank and ours differ, with both sides. */
export interface DiscrepancyDocument {
  id: string;
  kind: DiscrepancyRecord['kind'];
  says: string;
  uid: string;
  accountId: string;
  day: string;
  ours: Sum | null;
  booked: Sum | null;
  isOpen: boolean;
  incidentId: string | null;
  payout: PayoutSide | null;
  /** The file that was booked as one. */
  batchId: string | null;
  bookings: BookingSide[];
  /** Payouts that it may belong to, or that may be missing from the file. */
  candidates: PayoutSide[];
}

interface PayoutSide {
  reference: string;
  documentId: string;
  state: string;
  orderId: string | null;
  amount: string;
  currency: string;
  endedAt: string | null;
}

interface BookingSide {
  /** What `payouts match` takes. */
  entry: string;
  statement: string;
  bookedOn: string;
  /** Of the whole entry; below zero: it left the account. */
  amount: string;
  currency: string;
  code: string | null;
  references: readonly string[];
  text: string;
  counterparty: string | null;
  reason: string | null;
}

export async function discrepancyDocuments(
  store: Store,
  records: readonly DiscrepancyRecord[],
): Promise<DiscrepancyDocument[]> {
  const references = records.flatMap(({ reference, candidates }) => [reference ?? [], candidates].flat());
  const payouts = new Map((await store.payoutsOf([...new Set(references)])).map((row) => [row.reference, row]));
  const entries = new Map<string, KeptEntry>();
  for (const id of new Set(records.flatMap(({ lineIds }) => lineIds.map(entryOfLine)))) {
    const entry = await store.statementEntry(id);
    if (entry !== undefined) entries.set(id, entry);
  }
  return records.map((record) => {
    const { discrepancyId: id, kind, uid, accountId, batchId, currency, ours, ourCurrency, booked } = record;
    const payout = payouts.get(record.reference ?? '');
    return {
      ...{ id, kind, says: DISCREPANCIES[kind].says, uid, accountId, day: record.onDay },
      ours: ours === null ? null : { amount: ours, currency: ourCurrency },
      booked: booked === null ? null : { amount: booked, currency },
      ...{ isOpen: record.goneAt === null, incidentId: record.incidentId },
      ...{ payout: payout === undefined ? null : payoutSide(payout), batchId },
      bookings: record.lineIds.flatMap((lineId) => {
        const entry = entries.get(entryOfLine(lineId));
        return entry === undefined ? [] : [bookingSide(lineId, entry)];
      }),
      candidates: record.candidates.flatMap((reference) => {
        const row = payouts.get(reference);
        return row === undefined ? [] : [payoutSide(row)];
      }),
    };
  });
}

function payoutSide({ reference, documentId, state, orderId, instruction, endedAt }: PayoutRecord): PayoutSide {
  const { amount, currency } = instruction;
  return { reference, documentId, state, orderId, amount, currency, endedAt: isoOrNull(endedAt) };
}

function bookingSide(lineId: string, entry: KeptEntry): BookingSide {
  const { statementId, bookedOn, currency, code = null, references, bankReference, text, counterparty } = entry;
  return {
    ...{ entry: lineId, statement: statementId, bookedOn, currency, code, text },
    amount: formatMinor(signed(entry), currency),
    references: [...references, bankReference ?? []].flat(),
    counterparty: counterparty === undefined ? null : maskedAccount(counterparty),
    reason: returnReasonText(entry.returnReason) ?? null,
  };
}

const CSV_COLUMNS = [
  ...[
    'id',
    'kind',
    'says',
    'uid',
    'account_id',
    'day',
    'our_amount',
    'our_currency',
    'booked_amount',
    'booked_currency',
  ],
  ...['open', 'incident', 'document', 'reference', 'state', 'batch', 'entries', 'texts', 'candidates'],
];

/** One row for each discrepancy. */
export const discrepanciesCsv = (documents: readonly DiscrepancyDocument[]): string =>
  csvText([
    CSV_COLUMNS,
    ...documents.map((it) => [
      ...[it.id, it.kind, it.says, it.uid, it.accountId, it.day, it.ours?.amount ?? null, it.ours?.currency ?? null],
      ...[it.booked?.amount ?? null, it.booked?.currency ?? null, it.isOpen ? 'yes' : 'no', it.incidentId],
      ...[it.payout?.documentId ?? null, it.payout?.reference ?? null, it.payout?.state ?? null, it.batchId],
      it.bookings.map(({ entry }) => entry).join(' '),
      it.bookings.map(({ text }) => text).join(' | '),
      it.candidates.map(({ reference }) => reference).join(' '),
    ]),
  ]);

export const statementDocument = ({ takenAt, takenBy, digest, ...record }: StatementRecord) => ({
  ...record,
  takenAt: iso(takenAt ?? 0),
  takenBy,
});

/** What was booked on a day in one currency, by whether it is explained. */
export interface Flow {
  day: string;
  currency: string;
  /** Decimal strings. */
  out: string;
  in: string;
  bookings: number;
  /** Of these, how many belong to no payout, or differ from it. */
  open: number;
}

const FLOW_DAYS = 35;

/** The last days before the newest statement of a user, on these accounts. */
export async function flowsOf(store: Store, uid: string, accounts: ReadonlySet<string>): Promise<Flow[]> {
  const [latest] = await store.statementsTaken({ uid, limit: 1 });
  if (latest === undefined) return [];
  const since = laterDay(latest.toDay, -FLOW_DAYS);
  const all = await store.entriesSince(uid, since);
  const repeats = repeatsOf(all, await store.coverageSince(uid, since));
  const entries = all.filter(
    ({ entryId, accountId, isPending, kind }) =>
      accounts.has(accountId) && !isPending && (kind === 'statement' || kind === 'orders') && !repeats.has(entryId),
  );
  const found = await store.discrepancies({ uid, open: true, limit: DISCREPANCIES_MAX });
  const open = new Set(found.flatMap(({ lineIds }) => lineIds.map(entryOfLine)));
  return [...Map.groupBy(entries, ({ bookedOn, currency }) => `${bookedOn} ${currency}`)].map(([key, some]) => {
    const [day = '', currency = ''] = key.split(' ');
    const total = (direction: KeptEntry['direction']): string =>
      sumDecimals([
        formatMinor(0n, currency),
        ...some.filter((it) => it.direction === direction).map((it) => formatMinor(it.minor, currency)),
      ]);
    const differing = some.filter(({ entryId }) => open.has(entryId)).length;
    return { day, currency, out: total('debit'), in: total('credit'), bookings: some.length, open: differing };
  });
}

export const DISCREPANCIES_MAX = 1_000;
