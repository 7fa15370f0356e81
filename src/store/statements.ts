import { hash } from 'node:crypto';
import { formatMinor } from '../domain/money.ts';
import type { Discrepancy, Match } from '../domain/statements/booked.ts';
import { type Coverage, entryOfLine, type KeptEntry, ordersStatementId } from '../domain/statements/lines.ts';
import type { EntryDetail, StatementEntry } from '../domain/statements/statement.ts';
import { audit } from './audit-log.ts';
import { json } from './engine/column-dialect.ts';
import { chunks, type Database, inChunks, insertNew, inTransaction, met } from './engine/database.ts';
import type { PayoutRecord } from './schema.ts';
import type { DiscrepancyRecord, EntryDecision, EntryMatch, InText, StatementRecord } from './statement-tables.ts';

/** Statements of this account with this number and period, taken before; any kind. */
export function statementsNumbered(
  db: Database,
  { accountId, kind, number, fromDay, toDay }: StatementRecord,
): Promise<StatementRecord[]> {
  return db
    .selectFrom('statements')
    .selectAll()
    .where('accountId', '=', accountId)
    .where('kind', '=', kind)
    .where('number', '=', number)
    .where('fromDay', '=', fromDay)
    .where('toDay', '=', toDay)
    .where('takenAt', 'is not', null)
    .execute();
}

/** The user of an account that payouts were made from; undefined: none was. */
export async function userOfAccount(db: Database, accountId: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('payouts')
    .select('uid')
    .where('accountId', '=', accountId)
    .limit(1)
    .executeTakeFirst();
  return row?.uid;
}

/** Begins a statement, or goes on with one whose taking was interrupted; its entries follow, then `takeStatement`. */
export async function beginStatement(db: Database, record: StatementRecord): Promise<void> {
  await insertNew(db, 'statements', { ...record, takenAt: null });
}

/** Idempotent: a taking that was interrupted writes the same again. */
export async function recordEntries(
  db: Database,
  { statementId, accountId }: StatementRecord,
  entries: readonly StatementEntry[],
  details: readonly { position: number; detail: EntryDetail }[],
): Promise<void> {
  const idOf = (position: number): string => `${statementId}.${position}`;
  for (const some of chunks(entries)) {
    const rows = some.map((entry) => {
      const { position, bookedOn } = entry;
      return { entryId: idOf(position), statementId, accountId, position, bookedOn, facts: json(inText(entry)) };
    });
    await insertNew(db, 'statementEntries', rows);
  }
  for (const some of chunks(details)) {
    const rows = some.map(({ position, detail }) => {
      return { entryId: idOf(position), part: detail.part, facts: json(inText(detail)) };
    });
    await insertNew(db, 'statementDetails', rows);
  }
}

/** From now on its entries count; with an audit entry. False if it was taken before. */
export function takeStatement(db: Database, record: StatementRecord & { takenAt: number }): Promise<boolean> {
  return inTransaction(db, async (transaction) => {
    const { statementId, takenAt: at, takenBy, accountId, kind, format, number, fromDay, toDay, digest } = record;
    const isNew = await met(
      transaction
        .updateTable('statements')
        .set({ takenAt: at })
        .where('statementId', '=', statementId)
        .where('takenAt', 'is', null),
    );
    if (!isNew) return false;
    // What the bank itself sends takes the place of its order list.
    await forgetStatement(transaction, ordersStatementId(accountId));
    const detail = { kind, format, number, fromDay, toDay, entries: `${record.entries}`, digest };
    await audit(transaction, { at, actor: takenBy ?? 'bank', action: 'statement taken', subject: accountId, detail });
    return true;
  });
}

/**
 * What the order list of an account says now, in place of what it said before: one statement per account. Entry ids are those of
 * the orders, so that decisions about them stay.
 */
export async function replaceOrders(
  db: Database,
  record: StatementRecord & { takenAt: number },
  entries: readonly (StatementEntry & { entryId: string })[],
): Promise<void> {
  await inTransaction(db, async (transaction) => {
    const { statementId, accountId } = record;
    const listed = new Set(entries.map(({ entryId }) => entryId));
    const before = await transaction
      .selectFrom('statementEntries')
      .select('entryId')
      .where('statementId', '=', statementId)
      .execute();
    const gone = before.flatMap(({ entryId }) => (listed.has(entryId) ? [] : [entryId]));
    // What was matched long ago is not compared again.
    for (const some of chunks(gone))
      await transaction.deleteFrom('entryMatches').where('entryId', 'in', some).execute();
    await forgetEntries(transaction, statementId);
    await insertNew(transaction, 'statements', record);
    for (const some of chunks(entries)) {
      const rows = some.map(({ entryId, ...entry }) => {
        const { position, bookedOn } = entry;
        return { entryId, statementId, accountId, position, bookedOn, facts: json(inText(entry)) };
      });
      await insertNew(transaction, 'statementEntries', rows);
    }
  });
}

async function forgetStatement(db: Database, statementId: string): Promise<void> {
  const entries = db.selectFrom('statementEntries').select('entryId').where('statementId', '=', statementId);
  await db.deleteFrom('entryMatches').where('entryId', 'in', entries).execute();
  await forgetEntries(db, statementId);
}

async function forgetEntries(db: Database, statementId: string): Promise<void> {
  await db.deleteFrom('statementEntries').where('statementId', '=', statementId).execute();
  await db.deleteFrom('statements').where('statementId', '=', statementId).execute();
}

/** Newest first. */
export function statementsTaken(
  db: Database,
  { uid, accountId, limit }: { uid?: string; accountId?: string; limit: number },
): Promise<StatementRecord[]> {
  return db
    .selectFrom('statements')
    .selectAll()
    .where('takenAt', 'is not', null)
    .$if(uid !== undefined, (query) => query.where('uid', '=', uid ?? ''))
    .$if(accountId !== undefined, (query) => query.where('accountId', '=', accountId ?? ''))
    .orderBy('toDay', 'desc')
    .orderBy('statementId')
    .limit(limit)
    .execute();
}

export async function statement(db: Database, statementId: string): Promise<StatementRecord | undefined> {
  return db.selectFrom('statements').selectAll().where('statementId', '=', statementId).executeTakeFirst();
}

/** What the statements of a user say about days since then. */
export async function coverageSince(db: Database, uid: string, day: string): Promise<Coverage[]> {
  const rows = await db
    .selectFrom('statements')
    .selectAll()
    .where('uid', '=', uid)
    .where('toDay', '>=', day)
    .where('takenAt', 'is not', null)
    .execute();
  return rows.map(({ statementId, accountId, kind, fromDay: from, toDay: to, opening, closing, takenAt }) => {
    const balances = { opening: minorIn(opening), closing: minorIn(closing) };
    return { statementId, accountId, kind, from, to, ...balances, takenAt: takenAt ?? 0 };
  });
}

/** Balances of one account have one scale. */
const minorIn = (balance: string | null): bigint | undefined =>
  balance === null ? undefined : BigInt(balance.replace('.', ''));

/** Entries of a user's statements booked since a day, in order. */
export async function entriesSince(db: Database, uid: string, day: string): Promise<KeptEntry[]> {
  const rows = await db
    .selectFrom('statementEntries as entry')
    .innerJoin('statements as statement', 'statement.statementId', 'entry.statementId')
    .select(['entry.entryId', 'entry.statementId', 'entry.accountId', 'entry.facts', 'statement.kind'])
    .where('statement.uid', '=', uid)
    .where('statement.takenAt', 'is not', null)
    .where('entry.bookedOn', '>=', day)
    .orderBy('entry.bookedOn')
    .orderBy('entry.entryId')
    .execute();
  return rows.map(({ facts, ...row }) => ({ ...row, ...outOfText<StatementEntry>(factsIn(facts)) }));
}

/** By entry id, in order. */
export async function entryDetails(
  db: Database,
  entryIds: readonly string[],
): Promise<ReadonlyMap<string, EntryDetail[]>> {
  const query = db.selectFrom('statementDetails').selectAll().orderBy('entryId').orderBy('part');
  const rows = await inChunks(entryIds, (some) => query.where('entryId', 'in', some).execute());
  const read = rows.map(({ entryId, facts }) => ({ entryId, detail: outOfText<EntryDetail>(factsIn(facts)) }));
  const groups = [...Map.groupBy(read, ({ entryId }) => entryId)];
  return new Map(groups.map(([entryId, some]) => [entryId, some.map(({ detail }) => detail)]));
}

/** An entry with its statement's kind and user; undefined: no such id. */
export async function statementEntry(
  db: Database,
  entryId: string,
): Promise<(KeptEntry & { uid: string }) | undefined> {
  const row = await db
    .selectFrom('statementEntries as entry')
    .innerJoin('statements as statement', 'statement.statementId', 'entry.statementId')
    .select(['entry.entryId', 'entry.statementId', 'entry.accountId', 'entry.facts', 'statement.kind', 'statement.uid'])
    .where('entry.entryId', '=', entryId)
    .where('statement.takenAt', 'is not', null)
    .executeTakeFirst();
  if (row === undefined) return undefined;
  const { facts, ...its } = row;
  return { ...its, ...outOfText<StatementEntry>(factsIn(facts)) };
}

/** A column of a join is not parsed with its table. */
const factsIn = <Facts>(facts: InText<Facts> | string): InText<Facts> =>
  typeof facts === 'string' ? JSON.parse(facts) : facts;

const AMOUNTS: readonly string[] = ['minor', 'chargesMinor'];

const inText = <Facts extends object>(facts: Facts): InText<Facts> =>
  Object.fromEntries(
    Object.entries(facts).map(([name, value]) => [name, typeof value === 'bigint' ? `${value}` : value]),
  ) as InText<Facts>;

const outOfText = <Facts extends object>(facts: InText<Facts>): Facts =>
  Object.fromEntries(
    Object.entries(facts).map(([name, value]) => [
      name,
      AMOUNTS.includes(name) && typeof value === 'string' ? BigInt(value) : value,
    ]),
  ) as Facts;

/** Payouts of a user that ended since then, or have not. */
export function payoutsEndedSince(db: Database, uid: string, since: number): AsyncGenerator<PayoutRecord[]> {
  return inKeyPages(db, uid, since);
}

async function* inKeyPages(db: Database, uid: string, since: number): AsyncGenerator<PayoutRecord[]> {
  let after = '';
  for (;;) {
    const page = await db
      .selectFrom('payouts')
      .selectAll()
      .where((row) => row.or([row('uid', '=', uid), row('kind', '=', 'transfer')]))
      .where((row) => row.or([row('endedAt', '>=', since), row('endedAt', 'is', null)]))
      .where('reference', '>', after)
      .orderBy('reference')
      .limit(PAGE)
      .execute();
    if (page.length > 0) yield page;
    if (page.length < PAGE) return;
    after = page.at(-1)?.reference ?? '';
  }
}

const PAGE = 500;

export function entryDecisions(db: Database, uid: string): Promise<EntryDecision[]> {
  return db.selectFrom('entryDecisions').selectAll().where('uid', '=', uid).execute();
}

/** The last decision about a booking counts; with an audit entry. */
export function decideEntry(db: Database, decision: EntryDecision): Promise<void> {
  return inTransaction(db, async (transaction) => {
    const { lineId, reference, by, reason, at } = decision;
    await transaction
      .insertInto('entryDecisions')
      .values(decision)
      .onConflict((conflict) => conflict.column('lineId').doUpdateSet({ reference, by, reason, at }))
      .execute();
    const detail = { entry: lineId, ...(reference !== null && { reference }), reason };
    await audit(transaction, { at, actor: by, action: 'booking matched', subject: reference ?? lineId, detail });
  });
}

/** A finding as it was just made, and its id. */
export interface KeptDiscrepancy {
  discrepancyId: string;
  isNew: boolean;
}

export interface KeptReconciliation {
  /** In the order given. */
  kept: KeptDiscrepancy[];
  /** Incidents of discrepancies that are gone. */
  explained: string[];
}

/**
 * Stores what a reconciliation has found of a user since a day: its matches in place of earlier ones, and its discrepancies. Removes
 * those of these days that it no longer finds.
 */
export function recordReconciliation(
  db: Database,
  { uid, since, at }: { uid: string; since: string; at: number },
  matches: readonly Match[],
  found: readonly Discrepancy[],
): Promise<KeptReconciliation> {
  return inTransaction(db, async (transaction) => {
    const recent = transaction
      .selectFrom('statementEntries as entry')
      .innerJoin('statements as statement', 'statement.statementId', 'entry.statementId')
      .select('entry.entryId')
      .where('statement.uid', '=', uid)
      .where('entry.bookedOn', '>=', since);
    await transaction.deleteFrom('entryMatches').where('uid', '=', uid).where('entryId', 'in', recent).execute();
    for (const some of chunks(matches)) {
      const rows = some.map(({ lineId, movementId = '', reference = null, kind, by: foundBy, minor }) => {
        return { lineId, movementId, entryId: entryOfLine(lineId), uid, reference, kind, foundBy, amount: `${minor}` };
      });
      await insertNew(transaction, 'entryMatches', rows);
    }
    const known = await transaction
      .selectFrom('discrepancies')
      .select(['discrepancyId', 'goneAt', 'onDay', 'incidentId'])
      .where('uid', '=', uid)
      .execute();
    const before = new Map(known.map((row) => [row.discrepancyId, row]));
    const ids = found.map((it) => discrepancyId(uid, it));
    const now = new Set(ids);
    const gone = known.filter((it) => it.goneAt === null && it.onDay >= since && !now.has(it.discrepancyId));
    const setGone = (some: readonly string[], goneAt: number | null) =>
      transaction.updateTable('discrepancies').set({ goneAt }).where('discrepancyId', 'in', some).execute();
    for (const some of chunks(gone))
      await setGone(
        some.map((it) => it.discrepancyId),
        at,
      );
    const back = ids.filter((id) => before.get(id)?.goneAt != null);
    for (const some of chunks(back)) await setGone(some, null);
    const rows = found.map((it, index) => rowOf(uid, it, ids[index] ?? '', at));
    for (const some of chunks(rows)) await insertNew(transaction, 'discrepancies', some);
    const kept = ids.map((id) => ({ discrepancyId: id, isNew: !before.has(id) }));
    return { kept, explained: gone.flatMap(({ incidentId }) => incidentId ?? []) };
  });
}

function rowOf(uid: string, it: Discrepancy, id: string, at: number) {
  const { kind, accountId, currency, reference = null, batchId = null, ours, ourCurrency, booked, on: onDay } = it;
  return {
    ...{ discrepancyId: id, kind, uid, accountId, currency, reference, batchId, ourCurrency, onDay },
    ...{ lineIds: json(it.lineIds), candidates: json(it.candidates) },
    ours: ours === undefined ? null : formatMinor(ours, ourCurrency),
    booked: booked === undefined ? null : formatMinor(booked, currency),
    ...{ foundAt: at, goneAt: null, incidentId: null },
  };
}

/** Stored, so never change it. */
function discrepancyId(uid: string, { kind, reference, lineIds, on, accountId }: Discrepancy): string {
  const what = kind === 'not-booked' ? [reference, accountId, on] : [reference, ...[...lineIds].sort()];
  return `dis-${hash('sha256', JSON.stringify([uid, kind, ...what])).slice(0, 12)}`;
}

export interface DiscrepancySearch {
  uid?: string;
  accountId?: string;
  reference?: string;
  open: boolean;
  limit: number;
}

/** Newest day first. */
export function discrepancies(
  db: Database,
  { uid, accountId, reference, open, limit }: DiscrepancySearch,
): Promise<DiscrepancyRecord[]> {
  return db
    .selectFrom('discrepancies')
    .selectAll()
    .$if(open, (query) => query.where('goneAt', 'is', null))
    .$if(uid !== undefined, (query) => query.where('uid', '=', uid ?? ''))
    .$if(accountId !== undefined, (query) => query.where('accountId', '=', accountId ?? ''))
    .$if(reference !== undefined, (query) => query.where('reference', '=', reference ?? ''))
    .orderBy('onDay', 'desc')
    .orderBy('discrepancyId')
    .limit(limit)
    .execute();
}

export async function noteDiscrepancyIncident(db: Database, discrepancyId: string, incidentId: string): Promise<void> {
  await db.updateTable('discrepancies').set({ incidentId }).where('discrepancyId', '=', discrepancyId).execute();
}

/** Matches of these entries, or of these payouts; unordered. */
export function matchesOfEntries(db: Database, entryIds: readonly string[]): Promise<EntryMatch[]> {
  const query = db.selectFrom('entryMatches').selectAll();
  return inChunks(entryIds, (some) => query.where('entryId', 'in', some).execute());
}

export function matchesOfPayouts(db: Database, references: readonly string[]): Promise<EntryMatch[]> {
  const query = db.selectFrom('entryMatches').selectAll();
  return inChunks(references, (some) => query.where('reference', 'in', some).execute());
}

/** Card payments that succeeded since then. */
export async function cardsSucceededSince(db: Database, since: number) {
  return db
    .selectFrom('cardPayments')
    .select(['merchantRequestId', 'paymentId', 'amount', 'currency', 'endedAt'])
    .where('state', '=', 'succeeded')
    .where('endedAt', '>=', since)
    .orderBy('merchantRequestId')
    .execute();
}
