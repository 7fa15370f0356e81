import { pagesOf } from '../domain/iterate.ts';
import type { LedgerEntry, LedgerStatement, Period } from '../domain/statements/period.ts';
import type { StatementEntry } from '../domain/statements/statement.ts';
import { audit } from './audit-log.ts';
import { type Database, inTransaction, met } from './engine/database.ts';
import type { BalanceStep, PeriodDocumentRecord } from './period-tables.ts';
import type { InText } from './statement-tables.ts';
import { matchesOfEntries } from './statements.ts';

export interface AccountStatement extends LedgerStatement {
  uid: string;
  accountId: string;
  currency: string;
  takenAt: number;
}

/** Statements that keep the ledger of an account, by account. A later one tells that nothing was booked on days before it. */
export async function ledgerStatements(db: Database, uid: string | undefined) {
  const rows = await db
    .selectFrom('statements')
    .selectAll()
    .where('kind', 'in', ['statement', 'orders'])
    .where('takenAt', 'is not', null)
    .$if(uid !== undefined, (query) => query.where('uid', '=', uid ?? ''))
    .orderBy('accountId')
    .orderBy('toDay')
    .orderBy('statementId')
    .execute();
  const known = rows.flatMap(({ opening, closing, takenAt, fromDay: from, toDay, ...row }): AccountStatement[] => {
    if (closing === null) return [];
    const last = minorIn(closing);
    const first = opening === null ? undefined : minorIn(opening);
    return [{ ...row, from, to: toDay, takenAt: takenAt ?? 0, closing: last, opening: first ?? last }];
  });
  return Map.groupBy(known, ({ accountId }) => accountId);
}

/** Balances of one account have one scale. */
const minorIn = (balance: string): bigint => BigInt(balance.replace('.', ''));

const PAGE = 500;
/** Code of a `REFUND` in an order list; what else came to the account is a deposit or a transfer (interface section 2). */
const RETURN = 'RRTN';

/** Bookings of a statement, from a day on, in pages, with what of them belongs to movements of ours. */
export async function* ledgerEntries(
  db: Database,
  { statementId, kind }: Pick<LedgerStatement, 'statementId' | 'kind'>,
  from: string,
): AsyncGenerator<LedgerEntry[]> {
  const query = db
    .selectFrom('statementEntries')
    .select(['entryId', 'bookedOn', 'facts'])
    .where('statementId', '=', statementId)
    .where('bookedOn', '>=', from)
    .orderBy('bookedOn')
    .orderBy('entryId')
    .limit(PAGE);
  const pages = pagesOf<{ entryId: string; bookedOn: string; facts: InText<StatementEntry> }>(PAGE, (last) =>
    query
      .$if(last !== undefined, (more) =>
        more.where((row) =>
          row(row.refTuple('bookedOn', 'entryId'), '>', row.tuple(last?.bookedOn ?? '', last?.entryId ?? '')),
        ),
      )
      .execute(),
  );
  for await (const page of pages) {
    const booked = page.filter(({ facts }) => !facts.isPending);
    const matches = await matchesOfEntries(
      db,
      booked.map(({ entryId }) => entryId),
    );
    const byEntry = Map.groupBy(matches, ({ entryId }) => entryId);
    yield booked.map(({ entryId, bookedOn, facts }) => ({
      ...{ entryId, bookedOn, minor: BigInt(facts.minor), direction: facts.direction },
      isDeposit: kind === 'orders' && facts.direction === 'credit' && facts.code !== RETURN && !facts.isReversal,
      parts: (byEntry.get(entryId) ?? []).map(({ kind, amount }) => ({ kind, minor: BigInt(amount) })),
    }));
  }
}

export function balanceSteps(db: Database, accountId: string): Promise<BalanceStep[]> {
  return db.selectFrom('balanceSteps').selectAll().where('accountId', '=', accountId).orderBy('onDay').execute();
}

/**
 * Notes what a balance holds beyond the orders. `late`: bookings that no earlier list showed, and when they were made; what earlier
 * balances held of them is explained now.
 */
export function noteBalance(
  db: Database,
  { accountId, onDay, at, unexplained }: Omit<BalanceStep, 'unexplained'> & { unexplained: bigint },
  late: readonly { at: number; minor: bigint }[],
): Promise<void> {
  return inTransaction(db, async (transaction) => {
    let last = 0n;
    for (const step of await balanceSteps(transaction, accountId)) {
      last = late.reduce((sum, it) => (it.at <= step.at ? sum - it.minor : sum), BigInt(step.unexplained));
      if (`${last}` === step.unexplained) continue;
      const update = transaction.updateTable('balanceSteps').set({ unexplained: `${last}` });
      await update.where('accountId', '=', accountId).where('onDay', '=', step.onDay).execute();
    }
    if (unexplained === last) return;
    const step = { accountId, onDay, at, unexplained: `${unexplained}` };
    await transaction
      .insertInto('balanceSteps')
      .values(step)
      .onConflict((conflict) =>
        conflict.columns(['accountId', 'onDay']).doUpdateSet({ at, unexplained: step.unexplained }),
      )
      .execute();
  });
}

/** Versions of one period, the newest first; of every period, the last closed first. */
export function periodDocuments(db: Database, { period, limit }: { period?: Period; limit: number }) {
  return db
    .selectFrom('periodDocuments')
    .selectAll()
    .$if(period !== undefined, (query) =>
      query.where('fromDay', '=', period?.from ?? '').where('toDay', '=', period?.to ?? ''),
    )
    .orderBy('toDay', 'desc')
    .orderBy('fromDay')
    .orderBy('version', 'desc')
    .limit(limit)
    .execute();
}

export function periodDocument(db: Database, digest: string): Promise<PeriodDocumentRecord | undefined> {
  return db.selectFrom('periodDocuments').selectAll().where('digest', '=', digest).executeTakeFirst();
}

/** Those in force that reach to this day or later. */
export function periodsInForce(db: Database, since: string): Promise<PeriodDocumentRecord[]> {
  return db
    .selectFrom('periodDocuments')
    .selectAll()
    .where('toDay', '>=', since)
    .where('reopenedAt', 'is', null)
    .orderBy('toDay')
    .execute();
}

const subjectOfPeriod = ({ fromDay, toDay }: PeriodDocumentRecord): string => `period ${fromDay}..${toDay}`;

/** With an audit entry, by which the log signs it. False if another version was recorded meanwhile. */
export function closePeriod(db: Database, record: PeriodDocumentRecord): Promise<boolean> {
  return inTransaction(db, async (transaction) => {
    const { digest, version, supersedes, closedBy: actor, closedAt: at } = record;
    const [last] = await periodDocuments(transaction, {
      period: { from: record.fromDay, to: record.toDay },
      limit: 1,
    });
    if ((last?.digest ?? null) !== supersedes) return false;
    if (last !== undefined) await reopen(transaction, last, { at, why: 'closed again' });
    await transaction.insertInto('periodDocuments').values(record).execute();
    const detail = { digest, version: `${version}`, ...(supersedes !== null && { supersedes }) };
    await audit(transaction, { at, actor, action: 'period closed', subject: subjectOfPeriod(record), detail });
    return true;
  });
}

/** What was reported is true no longer; with an audit entry. */
export function reopenPeriod(db: Database, record: PeriodDocumentRecord, change: { at: number; why: string }) {
  return inTransaction(db, (transaction) => reopen(transaction, record, change));
}

async function reopen(
  transaction: Database,
  record: PeriodDocumentRecord,
  { at, why }: { at: number; why: string },
): Promise<void> {
  const { digest } = record;
  const update = transaction.updateTable('periodDocuments').set({ reopenedAt: at, reopenedWhy: why });
  if (!(await met(update.where('digest', '=', digest).where('reopenedAt', 'is', null)))) return;
  const detail = { digest, why };
  await audit(transaction, { at, actor: 'bank', action: 'period reopened', subject: subjectOfPeriod(record), detail });
}
