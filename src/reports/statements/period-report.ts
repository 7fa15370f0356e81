import { hash } from 'node:crypto';
import { counted, iso, isoOrNull } from '../../domain/display.ts';
import { formatMinor, Totals } from '../../domain/money.ts';
import { Problem } from '../../domain/problem.ts';
import { coverageOf } from '../../domain/statements/lines.ts';
import {
  chainOf,
  dayInLedger,
  type Gap,
  type LedgerStatement,
  LINES,
  type Line,
  type Period,
  PeriodSums,
  periodName,
  startOfDay,
} from '../../domain/statements/period.ts';
import { signed } from '../../domain/statements/statement.ts';
import { dayIn, laterDay } from '../../domain/time.ts';
import { cursorBehind } from '../../store/payout-search.ts';
import type { AccountStatement, PayoutRecord, PeriodDocumentRecord, Store } from '../../store/store.ts';
import { csvText } from '../write-csv.ts';

/** What the bank's ledger of an account says of a period: `opening` and `lines` add up to `closing`. Decimal strings. */
export interface PeriodAccount {
  uid: string;
  accountId: string;
  currency: string;
  /** Where the ledger comes from; `none`: nothing says what the bank booked, or the account is in another currency. */
  books: 'statement' | 'orders' | 'none';
  /** Payouts submitted in the period, as asked for. */
  instructed: { count: number; amount: string };
  opening: string | null;
  /** Above zero: it came to the account. */
  lines: Record<Line, string>;
  closing: string | null;
  bookings: number;
}

/** What is signed when a period is closed. */
export interface PeriodDocument {
  schemaVersion: 1;
  period: string;
  from: string;
  to: string;
  timeZone: string;
  version: number;
  /** Digest of the version before; null for the first. */
  supersedes: string | null;
  closedBy: string;
  closedAt: string;
  accounts: PeriodAccount[];
}

export type PeriodDocumentHead = Omit<PeriodDocument, 'schemaVersion' | 'timeZone' | 'accounts'> & {
  digest: string;
  reopenedAt: string | null;
  reopenedWhy: string | null;
};

/** An account whose ledger does not cover the whole period yet. */
interface MissingDay {
  accountId: string;
  /** The first of these days. */
  day: string;
  books: PeriodAccount['books'];
}

export interface PeriodReport {
  period: string;
  from: string;
  to: string;
  timeZone: string;
  accounts: PeriodAccount[];
  missing: MissingDay[];
  /** Versions closed so far, the newest first. */
  documents: PeriodDocumentHead[];
}

/** Which account, and which days. */
interface Asked {
  period: Period;
  timeZone: string;
  /** Undefined: of every user. */
  uid?: string;
}

const VERSIONS_MAX = 100;

export async function periodReport(store: Store, { period, timeZone, uid }: Asked): Promise<PeriodReport> {
  const ledgers = await store.ledgerStatements(uid);
  const accounts = await accountsOf(store, ledgers, { period, timeZone, uid });
  const documents = await store.periodDocuments({ period, limit: VERSIONS_MAX });
  return {
    ...{ period: periodName(period), ...period, timeZone, accounts },
    missing: missingDays(accounts, ledgers, { period, timeZone }),
    documents: documents.map(documentHead),
  };
}

export const documentHead = (record: PeriodDocumentRecord): PeriodDocumentHead => {
  const { digest, fromDay: from, toDay: to, version, supersedes, closedBy, closedAt, reopenedAt, reopenedWhy } = record;
  const period = periodName({ from, to });
  return {
    ...{ digest, period, from, to, version, supersedes, closedBy, closedAt: iso(closedAt) },
    ...{ reopenedAt: isoOrNull(reopenedAt), reopenedWhy },
  };
};

type Ledgers = Awaited<ReturnType<Store['ledgerStatements']>>;

/** Their members have one order: two are the same if their texts are. */
async function accountsOf(store: Store, ledgers: Ledgers, asked: Asked): Promise<PeriodAccount[]> {
  const instructed = await instructedIn(store, asked);
  const accounts: PeriodAccount[] = [];
  for (const statements of ledgers.values()) {
    const [first] = statements;
    if (first === undefined) continue;
    const { uid, accountId, currency } = first;
    const key = keyOf(uid, accountId, currency);
    const total = instructed.get(key) ?? { count: 0, amount: formatMinor(0n, currency) };
    instructed.delete(key);
    accounts.push({
      uid,
      accountId,
      currency,
      instructed: total,
      ...(await ledgerIn(store, statements, asked.period)),
    });
  }
  for (const [key, total] of instructed) {
    const [uid = '', accountId = '', currency = ''] = JSON.parse(key);
    const lines = inText(new PeriodSums(asked.period).lines, currency);
    const unknown = { books: 'none', opening: null, lines, closing: null, bookings: 0 } as const;
    accounts.push({ uid, accountId, currency, instructed: total, ...unknown });
  }
  return accounts.sort((a, b) => (placeOf(a) < placeOf(b) ? -1 : 1));
}

const keyOf = (...place: [uid: string, accountId: string, currency: string]): string => JSON.stringify(place);
const placeOf = ({ uid, accountId, currency }: PeriodAccount): string => keyOf(uid, accountId, currency);

const PAGE = 500;

async function instructedIn(store: Store, { period, timeZone, uid }: Asked) {
  const totals = new Totals();
  const [from, before] = [startOfDay(period.from, timeZone), startOfDay(laterDay(period.to, 1), timeZone)];
  for (let last: PayoutRecord | undefined; ; ) {
    const after = last && cursorBehind(last, 'newest');
    const page = await store.searchPayouts({ uid, kinds: ['payout'], from, before }, { after, limit: PAGE });
    for (const { uid: user, instruction, assessed } of page) {
      const { account_id: named, paying_account_id: planned = named, currency, amount } = instruction;
      // What is bought with money of the named account leaves from the one in the currency paid.
      const accountId = assessed?.payingAccountId ?? planned;
      totals.add({ currency, amount }, keyOf(user, accountId, currency));
    }
    last = page.at(-1);
    if (page.length < PAGE) break;
  }
  return new Map(totals.entries().map(([key, { count, amount }]) => [key, { count, amount }]));
}

type Ledger = Pick<PeriodAccount, 'books' | 'opening' | 'lines' | 'closing' | 'bookings'>;

/** The entries of the period are read a page at a time, and those behind it of a statement that reaches further. */
async function ledgerIn(store: Store, statements: readonly AccountStatement[], period: Period): Promise<Ledger> {
  const [{ currency, accountId, kind } = NO_STATEMENT] = statements;
  const { chain, gaps } = chainOf(statements);
  const steps = kind === 'orders' ? await stepsOf(store, accountId) : [];
  const sums = new PeriodSums(period);
  for (const gap of [...gaps, ...steps]) sums.gap(gap);
  const within = chain.filter(({ from, to }) => to >= period.from && from <= period.to);
  let opening = openingOf(chain, period);
  for (const statement of within) {
    const isBegun = statement.from < period.from;
    let rest = 0n;
    for await (const page of store.ledgerEntries(statement, isBegun ? period.from : '')) {
      for (const entry of page) {
        sums.add(entry, dayInLedger(entry.bookedOn, statement));
        rest += signed(entry);
      }
    }
    if (isBegun) opening = statement.closing - rest - sumOf(steps.filter(({ on }) => on >= period.from));
  }
  return {
    ...{ books: kind === 'orders' ? 'orders' : 'statement', opening: formatMinor(opening, currency) },
    ...{ lines: inText(sums.lines, currency), closing: formatMinor(sums.closing(opening), currency) },
    bookings: sums.bookings,
  };
}

const NO_STATEMENT: Pick<AccountStatement, 'currency' | 'accountId' | 'kind'> = {
  currency: '',
  accountId: '',
  kind: 'statement',
};

/** Where no statement has begun before the period and reaches into it. */
function openingOf(chain: readonly LedgerStatement[], { from }: Period): bigint {
  const before = chain.findLast((it) => it.to < from);
  return before?.closing ?? chain[0]?.opening ?? 0n;
}

/** Changes of what the balance holds beyond the orders. */
async function stepsOf(store: Store, accountId: string): Promise<Gap[]> {
  let before = 0n;
  return (await store.balanceSteps(accountId)).map(({ onDay: on, unexplained }) => {
    const minor = BigInt(unexplained) - before;
    before = BigInt(unexplained);
    return { on, minor };
  });
}

const sumOf = (gaps: readonly Gap[]): bigint => gaps.reduce((sum, { minor }) => sum + minor, 0n);

const inText = (lines: PeriodSums['lines'], currency: string): PeriodAccount['lines'] =>
  Object.fromEntries(LINES.map((line) => [line, formatMinor(lines[line], currency)])) as PeriodAccount['lines'];

function missingDays(accounts: readonly PeriodAccount[], ledgers: Ledgers, { period, timeZone }: Asked): MissingDay[] {
  return accounts.flatMap(({ accountId, books }): MissingDay[] => {
    const statements = ledgers.get(accountId);
    if (statements === undefined) return [{ accountId, day: period.from, books }];
    if (books === 'none') return [];
    const day = firstMissing(statements, { period, timeZone });
    return day === undefined ? [] : [{ accountId, day, books }];
  });
}

function firstMissing(statements: readonly AccountStatement[], { period, timeZone }: Asked): string | undefined {
  const inLedger = new Set(chainOf(statements).chain.map(({ statementId }) => statementId));
  const inChain = statements.filter(({ statementId }) => inLedger.has(statementId));
  const isKnown = coverageOf(
    inChain.map(({ kind, takenAt, to, ...it }) => ({
      ...{ ...it, kind },
      // A list that was read during a day does not cover the rest of it.
      to: kind === 'orders' ? laterDay(dayIn(takenAt, timeZone), -1) : to,
    })),
  );
  for (let day = period.from; day <= period.to; day = laterDay(day, 1)) {
    if (statements.every(({ accountId }) => !isKnown(accountId, day))) return day;
  }
  return undefined;
}

/**
 * Closes a period, or closes it again if what it says has changed: the newer document names the older one by its digest. Throws a
 * `Problem` for a period that is not over, or that the books do not cover whole.
 */
export async function closePeriod(
  store: Store,
  { period, timeZone, by, now }: { period: Period; timeZone: string; by: string; now: number },
): Promise<{ document: PeriodDocumentHead; isNew: boolean }> {
  if (dayIn(now, timeZone) <= period.to) {
    throw new Problem('refused', 'period-not-over', `${periodName(period)} is not over in ${timeZone}.`, {
      hint: 'Close it when its last day has ended.',
    });
  }
  const { accounts, missing } = await periodReport(store, { period, timeZone });
  const [lacking] = missing.filter(({ books }) => books !== 'none');
  if (lacking !== undefined) {
    throw new Problem(
      'refused',
      'statement-missing',
      `No statement says what was booked on account ${lacking.accountId} on ${lacking.day}.`,
      { hint: 'Take the statement of that day or, where the bank sends none, its order list after that day.' },
    );
  }
  const [last] = await store.periodDocuments({ period, limit: 1 });
  const before = last && (JSON.parse(last.text) as PeriodDocument);
  if (last?.reopenedAt === null && isSame(before?.accounts ?? [], accounts)) {
    return { document: documentHead(last), isNew: false };
  }
  const document: PeriodDocument = {
    ...{ schemaVersion: 1, period: periodName(period), ...period, timeZone, version: (last?.version ?? 0) + 1 },
    ...{ supersedes: last?.digest ?? null, closedBy: by, closedAt: iso(now), accounts },
  };
  const text = `${JSON.stringify(document, undefined, 2)}\n`;
  const record: PeriodDocumentRecord = {
    ...{ digest: hash('sha256', text), fromDay: period.from, toDay: period.to, version: document.version },
    ...{ supersedes: document.supersedes, text, closedBy: by, closedAt: now, reopenedAt: null, reopenedWhy: null },
  };
  if (await store.closePeriod(record)) return { document: documentHead(record), isNew: true };
  throw new Problem('refused', 'period-closed', 'Somebody else has closed this period at the same moment.', {
    hint: 'Look at what they have closed.',
  });
}

const isSame = (a: readonly PeriodAccount[], b: readonly PeriodAccount[]): boolean =>
  JSON.stringify(a) === JSON.stringify(b);

/** Reopens the closed periods since a day of which the books of a user say something else now. Returns their names. */
export async function reopenChanged(
  store: Store,
  { uid, since, at }: { uid: string; since: string; at: number },
): Promise<string[]> {
  const reopened: string[] = [];
  const inForce = await store.periodsInForce(since);
  if (inForce.length === 0) return reopened;
  const ledgers = await store.ledgerStatements(uid);
  for (const record of inForce) {
    const { accounts, from, to, timeZone, period } = JSON.parse(record.text) as PeriodDocument;
    const ofUser = accounts.filter((it) => it.uid === uid);
    const now = await accountsOf(store, ledgers, { period: { from, to }, timeZone, uid });
    const changed = [...now, ...ofUser].find((it) => {
      const same = (other: PeriodAccount): boolean => isSame([other], [it]);
      return !now.some(same) || !ofUser.some(same);
    });
    if (changed === undefined) continue;
    const why = `account ${changed.accountId} has other bookings in ${changed.currency} now`;
    await store.reopenPeriod(record, { at, why });
    reopened.push(period);
  }
  return reopened;
}

const COLUMNS: readonly (readonly [name: string, of: (it: PeriodAccount) => string | number | null])[] = [
  ['uid', ({ uid }) => uid],
  ['account_id', ({ accountId }) => accountId],
  ['currency', ({ currency }) => currency],
  ['books', ({ books }) => books],
  ['instructed_count', ({ instructed }) => instructed.count],
  ['instructed', ({ instructed }) => instructed.amount],
  ['opening', ({ opening }) => opening],
  ...LINES.map((line): [string, (it: PeriodAccount) => string] => [
    line.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
    ({ lines }) => lines[line],
  ]),
  ['closing', ({ closing }) => closing],
  ['bookings', ({ bookings }) => bookings],
];

/** A line for each account and currency. */
export const periodCsv = ({ period, accounts }: PeriodReport): string =>
  csvText([
    ['period', ...COLUMNS.map(([name]) => name)],
    ...accounts.map((it) => [period, ...COLUMNS.map(([, of]) => of(it))]),
  ]);

/** What the lines are called in a report. */
export const LINE_TEXTS: Readonly<Record<Line, string>> = {
  paid: 'paid',
  fees: 'fees',
  sold: 'exchanged, sold',
  bought: 'exchanged, bought',
  transferredOut: 'transfers out',
  transferredIn: 'transfers in',
  returned: 'returned',
  otherOut: 'other, out',
  otherIn: 'other, in',
  unexplainedOut: 'UNEXPLAINED, out',
  unexplainedIn: 'UNEXPLAINED, in',
};

/** A sentence for accounts of which the same is missing. */
export function missingTexts(missing: readonly MissingDay[]): string[] {
  const alike = Map.groupBy(missing, ({ books, day }) => (books === 'none' ? '' : day));
  return [...alike].map(([day, some]) => {
    const names = some.map(({ accountId }) => accountId);
    const which = names.length > 2 ? counted(names.length, 'account') : names.join(' and ');
    return day === ''
      ? `No statement was taken of ${which}.`
      : `${some.length === 1 ? 'A statement' : 'Statements'} of ${which} from ${day} on ${some.length === 1 ? 'is' : 'are'} missing.`;
  });
}
