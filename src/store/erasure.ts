import { type Expression, type ExpressionBuilder, type SqlBool, sql } from 'kysely';
import { madeDigest } from '../domain/identity.ts';
import { withoutPersonalData } from '../domain/instruction.ts';
import { ERASED } from '../domain/logged-money.ts';
import { isoDate } from '../domain/time.ts';
import type { AuditEntry } from './audit/entry.ts';
import { audit } from './audit-log.ts';
import { json } from './engine/column-dialect.ts';
import { type Database, inTransaction, met } from './engine/database.ts';
import type { PayoutRecord, Tables } from './schema.ts';
import { withoutNames } from './statement-tables.ts';

// Erasing personal data. Each step is one transaction with its audit entry, last; repeated, it finds nothing to do.

type PayoutRow = ExpressionBuilder<Tables, 'payouts'>;

/** Why the personal data of a payout that ended long ago is kept. */
type KeptBecause =
  | 'an incident is open or recent'
  | 'a booking is unexplained'
  | 'money came back recently'
  | 'its document was paid again recently'
  | 'its order is followed';

/** `before`: epoch ms; what happened since then is recent. */
const KEPT: Readonly<Record<KeptBecause, (row: PayoutRow, before: number) => Expression<unknown>>> = {
  'an incident is open or recent': (row, before) =>
    row
      .selectFrom('incidents')
      .select('incidentId')
      .whereRef('incidents.reference', '=', 'payouts.reference')
      .where((of) => of.or([of('acknowledgedAt', 'is', null), of('acknowledgedAt', '>=', before)])),
  'a booking is unexplained': (row) =>
    row
      .selectFrom('discrepancies')
      .select('discrepancyId')
      .whereRef('discrepancies.reference', '=', 'payouts.reference')
      .where('goneAt', 'is', null),
  'money came back recently': (row, before) =>
    row
      .selectFrom('returns')
      .select('orderId')
      .whereRef('returns.reference', '=', 'payouts.reference')
      .where('seenAt', '>=', before),
  'its document was paid again recently': (row, before) =>
    row
      .selectFrom('payouts as later')
      .select('later.reference')
      .whereRef('later.uid', '=', 'payouts.uid')
      .whereRef('later.documentId', '=', 'payouts.documentId')
      .whereRef('later.generation', '>', 'payouts.generation')
      .where((of) => of.or([of('later.endedAt', 'is', null), of('later.endedAt', '>=', before)])),
  'its order is followed': (row) =>
    row.selectFrom('openOrders').select('openedAt').whereRef('openOrders.reference', '=', 'payouts.reference'),
};

const erasure = (at: number, subject: string, detail: AuditEntry['detail']): AuditEntry => ({
  at,
  actor: 'product',
  action: ERASED,
  subject,
  detail,
});

const REASONS = Object.keys(KEPT) as KeptBecause[];

const because = (row: PayoutRow, why: KeptBecause, before: number): Expression<SqlBool> =>
  row.exists(KEPT[why](row, before));

/** Payouts that ended before then and still hold personal data. */
const old = (db: Database, before: number) =>
  db.selectFrom('payouts').where('erasedAt', 'is', null).where('endedAt', 'is not', null).where('endedAt', '<', before);

const due = (db: Database, before: number) =>
  old(db, before).where((row) => row.and(REASONS.map((why) => row.not(because(row, why, before)))));

/** The place of a payout in the order in which they are erased. */
export type ErasureKey = Pick<PayoutRecord, 'endedAt' | 'reference'>;

/** Payouts whose personal data is to be erased, by their end; at most `limit` behind `after`. */
export function payoutsToErase(
  db: Database,
  { before, after, limit }: { before: number; after: ErasureKey | undefined; limit: number },
): Promise<PayoutRecord[]> {
  return due(db, before)
    .selectAll()
    .$if(after !== undefined, (query) =>
      query.where((row) =>
        row(row.refTuple('endedAt', 'reference'), '>', row.tuple(after?.endedAt ?? 0, after?.reference ?? '')),
      ),
    )
    .orderBy('endedAt')
    .orderBy('reference')
    .limit(limit)
    .execute();
}

/**
 * Erases what is about people from payouts that the caller has compared with the log; those that have meanwhile been erased or are
 * no longer due stay as they are. Returns how many were erased.
 */
export function erasePayouts(
  db: Database,
  rows: readonly PayoutRecord[],
  { before, at }: { before: number; at: number },
): Promise<number> {
  return inTransaction(db, async (transaction) => {
    const entries: AuditEntry[] = [];
    for (const { reference, instruction, original, payloadDigest } of rows) {
      // What a message says that a payment settles is text for the payee, as a note is.
      const kept = original === null ? null : { ...original, settles: undefined };
      const left = withoutPersonalData(instruction);
      const isErased = await met(
        transaction
          .updateTable('payouts')
          .set({ instruction: json(left), original: json(kept), erasedAt: at })
          .set({ payee: null, lookAlikeKey: null, lookAlikeAccount: null })
          .where('reference', 'in', due(transaction, before).select('reference').where('reference', '=', reference))
          // PostgreSQL checks this once more when another worker has changed the row meanwhile, but not the query above.
          .where('erasedAt', 'is', null)
          .where('payloadDigest', '=', payloadDigest),
      );
      if (!isErased) continue;
      await eraseSent(transaction, reference);
      const detail = { digest: madeDigest(instruction, payloadDigest), left: madeDigest(left) };
      entries.push(erasure(at, reference, detail));
    }
    await audit(transaction, entries);
    return entries.length;
  });
}

/** Note and reason as they were sent, and the bank's words about a return. */
async function eraseSent(db: Database, reference: string): Promise<void> {
  const attempts = await db
    .selectFrom('sendAttempts')
    .select(['attempt', 'request'])
    .where('reference', '=', reference)
    .execute();
  for (const { attempt, request } of attempts) {
    if (request === null || !('note' in request || 'reason' in request)) continue;
    const left = { ...request, note: undefined, reason: undefined };
    await db
      .updateTable('sendAttempts')
      .set({ request: json(left) })
      .where('reference', '=', reference)
      .where('attempt', '=', attempt)
      .execute();
  }
  await db
    .updateTable('returns')
    .set({ reasonText: null })
    .where('reasonText', 'is not', null)
    .where('reference', '=', reference)
    .execute();
}

/** Erases the values of refused rows of one batch that ended before then. False: no batch has any. */
export function eraseRefusedRows(db: Database, { before, at }: { before: number; at: number }): Promise<boolean> {
  return inTransaction(db, async (transaction) => {
    const batch = await transaction
      .selectFrom('batches')
      .select('batchId')
      .where('endedAt', '<', before)
      .where('createdAt', '<', before)
      .where('erasedAt', 'is', null)
      .where((row) =>
        row.exists(
          row
            .selectFrom('refusedRows')
            .select('refusedRows.row')
            .whereRef('refusedRows.batchId', '=', 'batches.batchId'),
        ),
      )
      .orderBy('batchId')
      .limit(1)
      .executeTakeFirst();
    if (batch === undefined) return false;
    const { batchId } = batch;
    if (!(await met(markErased(transaction, batchId, at)))) return true;
    const { numUpdatedRows } = await transaction
      .updateTable('refusedRows')
      .set({ instruction: json({}) })
      .where('batchId', '=', batchId)
      .executeTakeFirstOrThrow();
    const detail = { refusedRows: `${numUpdatedRows}` };
    await audit(transaction, erasure(at, batchId, detail));
    return true;
  });
}

const markErased = (db: Database, batchId: string, at: number) =>
  db.updateTable('batches').set({ erasedAt: at }).where('batchId', '=', batchId).where('erasedAt', 'is', null);

const ENTRIES_PER_STEP = 500;

/**
 * Erases names and texts from the entries of one statement about days before `before`, unless a booking of its days is
 * unexplained. False: no statement has any.
 */
export async function eraseStatement(db: Database, { before, at }: { before: number; at: number }): Promise<boolean> {
  const statement = await statementsDue(db, before)
    .select(['statementId', 'accountId', 'number'])
    .orderBy('toDay')
    .orderBy('statementId')
    .limit(1)
    .executeTakeFirst();
  if (statement === undefined) return false;
  const { statementId, accountId, number } = statement;
  let [after, entries] = ['', 0];
  for (;;) {
    const last = await inTransaction(db, (transaction) => eraseEntries(transaction, statementId, after));
    entries += last.entries;
    if (last.entryId === undefined) break;
    after = last.entryId;
  }
  await inTransaction(db, async (transaction) => {
    const its = transaction.updateTable('statements').set({ erasedAt: at }).where('statementId', '=', statementId);
    if (!(await met(its.where('erasedAt', 'is', null)))) return;
    const detail = { number, entries: `${entries}` };
    await audit(transaction, erasure(at, accountId, detail));
  });
  return true;
}

const statementsDue = (db: Database, before: number) =>
  db
    .selectFrom('statements')
    .where('toDay', '<', isoDate(before))
    .where('takenAt', '<', before)
    .where('erasedAt', 'is', null)
    // Replaced by each reading of the list, which has no names.
    .where('kind', '!=', 'orders')
    .where((row) =>
      row.not(
        row.exists(
          row
            .selectFrom('discrepancies')
            .select('discrepancyId')
            .whereRef('discrepancies.accountId', '=', 'statements.accountId')
            .where('goneAt', 'is', null)
            .whereRef('onDay', '>=', 'statements.fromDay')
            .whereRef('onDay', '<=', 'statements.toDay'),
        ),
      ),
    );

async function eraseEntries(
  db: Database,
  statementId: string,
  after: string,
): Promise<{ entryId: string | undefined; entries: number }> {
  const entries = await db
    .selectFrom('statementEntries')
    .select(['entryId', 'facts'])
    .where('statementId', '=', statementId)
    .where('entryId', '>', after)
    .orderBy('entryId')
    .limit(ENTRIES_PER_STEP)
    .execute();
  for (const { entryId, facts } of entries) {
    const left = { facts: json(withoutNames(facts)) };
    await db.updateTable('statementEntries').set(left).where('entryId', '=', entryId).execute();
  }
  const ids = entries.map(({ entryId }) => entryId);
  if (ids.length === 0) return { entryId: undefined, entries: 0 };
  const details = await db.selectFrom('statementDetails').selectAll().where('entryId', 'in', ids).execute();
  for (const { entryId, part, facts } of details) {
    const left = { facts: json(withoutNames(facts)) };
    await db
      .updateTable('statementDetails')
      .set(left)
      .where('entryId', '=', entryId)
      .where('part', '=', part)
      .execute();
  }
  return { entryId: ids.at(-1), entries: ids.length };
}

/** Payees looked at in one step. */
const PAYEES_PER_STEP = 1_000;

type PayeeKey = { uid: string; payeeId: string };

/**
 * Deletes what the bank showed of payees that were neither seen anew nor paid since then, and that no open payout names: what is
 * needed of one is read again. Looks at one page behind `after`; `next`: its end, undefined after the last one.
 */
export function erasePayees(
  db: Database,
  { before, at, after }: { before: number; at: number; after: PayeeKey | undefined },
): Promise<{ erased: number; next: PayeeKey | undefined }> {
  return inTransaction(db, async (transaction) => {
    const page = await transaction
      .selectFrom('payees')
      .select((row) => ['uid', 'payeeId', row.fn.coalesce('changedAt', 'seenAt').as('shownAt')])
      .$if(after !== undefined, (query) =>
        query.where((row) =>
          row(row.refTuple('uid', 'payeeId'), '>', row.tuple(after?.uid ?? '', after?.payeeId ?? '')),
        ),
      )
      .orderBy('uid')
      .orderBy('payeeId')
      .limit(PAYEES_PER_STEP)
      .execute();
    const stale = page.filter(({ shownAt }) => Number(shownAt) < before);
    const inUse = await payeesInUse(transaction, stale, before);
    const gone = stale.filter((payee) => !inUse.has(keyOf(payee)));
    for (const { uid, payeeId } of gone) {
      await transaction.deleteFrom('payees').where('uid', '=', uid).where('payeeId', '=', payeeId).execute();
    }
    if (gone.length > 0) {
      const detail = { payees: `${gone.length}` };
      await audit(transaction, erasure(at, 'payees', detail));
    }
    const last = page.length < PAYEES_PER_STEP ? undefined : page.at(-1);
    return { erased: gone.length, next: last && { uid: last.uid, payeeId: last.payeeId } };
  });
}

const keyOf = ({ uid, payeeId }: PayeeKey): string => JSON.stringify([uid, payeeId]);

/** Those of these payees that were paid since then or that a payout without an end names. */
async function payeesInUse(db: Database, payees: readonly PayeeKey[], before: number): Promise<ReadonlySet<string>> {
  if (payees.length === 0) return new Set();
  const ids = payees.map(({ payeeId }) => payeeId);
  const paid = await db
    .selectFrom('payeePayments')
    .select(['uid', 'payeeId'])
    .distinct()
    .where('payeeId', 'in', ids)
    .where('uid', 'in', [...new Set(payees.map(({ uid }) => uid))])
    .where('paidAt', '>=', before)
    .execute();
  const named = await db
    .selectFrom('payouts')
    .select(['uid', 'beneficiaryId as payeeId'])
    .distinct()
    .where('endedAt', 'is', null)
    .where('beneficiaryId', 'in', ids)
    .$narrowType<{ payeeId: string }>()
    .execute();
  return new Set([...paid, ...named].map(keyOf));
}

/** Deletes verdicts of check providers from before then, at most `limit`; returns how many. */
export function erasePayeeChecks(
  db: Database,
  { before, at, limit }: { before: number; at: number; limit: number },
): Promise<number> {
  return inTransaction(db, async (transaction) => {
    const checks = await transaction
      .selectFrom('payeeChecks')
      .select(['uid', 'kind', 'provider', 'payee'])
      .where('askedAt', '<', before)
      .limit(limit)
      .execute();
    let erased = 0;
    for (const { uid, kind, provider, payee } of checks) {
      const its = transaction.deleteFrom('payeeChecks').where('uid', '=', uid).where('kind', '=', kind);
      const isGone = await met(
        its.where('provider', '=', provider).where('payee', '=', payee).where('askedAt', '<', before),
      );
      if (isGone) erased += 1;
    }
    if (erased > 0) {
      const detail = { checks: `${erased}` };
      await audit(transaction, erasure(at, 'payee checks', detail));
    }
    return erased;
  });
}

/** What of before a time would be erased now, what is kept back, and what was erased. */
export interface RetentionCounts {
  due: { payouts: number; statements: number; payeeChecks: number };
  /** Payouts that were handed over before then and have not ended. */
  open: number;
  /** Payouts that ended before then, by each reason for which they are kept. */
  kept: Partial<Record<KeptBecause, number>>;
  erased: { payouts: number /** Epoch ms; null: never. */; lastAt: number | null };
}

export async function retentionCounts(db: Database, before: number): Promise<RetentionCounts> {
  const counted = async (query: { executeTakeFirstOrThrow(): Promise<{ n: number | bigint | string }> }) =>
    Number((await query.executeTakeFirstOrThrow()).n);
  const all = sql<number>`count(*)`.as('n');
  const kept: Partial<Record<KeptBecause, number>> = {};
  for (const why of REASONS) {
    const n = await counted(
      old(db, before)
        .select(all)
        .where((row) => because(row, why, before)),
    );
    if (n > 0) kept[why] = n;
  }
  const erased = await db
    .selectFrom('payouts')
    .select((row) => [all, row.fn.max<number | null>('erasedAt').as('lastAt')])
    .where('erasedAt', 'is not', null)
    .executeTakeFirstOrThrow();
  return {
    due: {
      payouts: await counted(due(db, before).select(all)),
      statements: await counted(statementsDue(db, before).select(all)),
      payeeChecks: await counted(db.selectFrom('payeeChecks').select(all).where('askedAt', '<', before)),
    },
    open: await counted(
      db.selectFrom('payouts').select(all).where('endedAt', 'is', null).where('createdAt', '<', before),
    ),
    kept,
    erased: { payouts: Number(erased.n), lastAt: erased.lastAt },
  };
}
