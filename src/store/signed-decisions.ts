import type { Question, SignedDecision, Statement } from '../domain/authority.ts';
import { audit } from './audit-log.ts';
import { json } from './engine/column-dialect.ts';
import type { Database } from './engine/database.ts';
import { chunks, insertNew, inTransaction, met } from './engine/database.ts';
import { askedDetailOf } from './money-detail.ts';

type TakenDecision = SignedDecision & { takenAt: number };

/** A row covered by a signed plan, with its inclusion proof. */
export interface PlannedRow {
  reference: string;
  digest: string;
  /** From 0. */
  index: number;
  path: readonly string[];
}

/** A signed plan as a decision about one of its rows. */
export type PlannedDecision = TakenDecision & {
  /** Digest of the row when planned. */
  rowDigest: string;
  inclusion: Pick<PlannedRow, 'index' | 'path'>;
};

/**
 * Stores a signed decision, with an audit entry. False if its id was taken before: a decision counts once. `inPlaceOf`: whom the
 * signer, who may not decide by themselves, stood in for.
 */
export function takeSignedDecision(
  db: Database,
  signed: SignedDecision,
  at: number,
  inPlaceOf?: string,
): Promise<boolean> {
  return inTransaction(db, (transaction) => take(transaction, signed, { at, inPlaceOf }));
}

/** `takeSignedDecision` for a plan, with its rows, unless another signature of the same plan stored them. */
export function takeSignedPlan(
  db: Database,
  signed: SignedDecision,
  rows: Iterable<PlannedRow>,
  at: number,
  inPlaceOf?: string,
): Promise<boolean> {
  return inTransaction(db, async (transaction) => {
    const { digest: plan } = signed;
    for (const some of chunks(rows)) {
      const covered = some.map(({ index, path, ...row }) => ({ ...row, plan, leafIndex: index, path: json(path) }));
      await insertNew(transaction, 'planRows', covered);
    }
    return take(transaction, signed, { at, inPlaceOf });
  });
}

async function take(
  transaction: Database,
  signed: SignedDecision,
  { at, inPlaceOf }: { at: number; inPlaceOf: string | undefined },
): Promise<boolean> {
  // Each column by its name: the signature covers no other member, and one could name when it was taken.
  const { id, storeId, question, decision, reference, digest, subject, remark, signedAt, expiresAt } = signed;
  const { credential, signature } = signed;
  const statement = { id, storeId, question, decision, reference, digest, subject, remark, signedAt, expiresAt };
  const row = { ...statement, credential, signature, takenAt: at, usedAt: null };
  if ((await insertNew(transaction, 'signedDecisions', row)) === 0) return false;
  const money = await askedDetailOf(transaction, reference);
  const about = { ...money, ...(inPlaceOf !== undefined && { for: inPlaceOf }), ...(remark !== '' && { remark }) };
  const detail = { decisionId: id, question, digest, credential, ...about };
  await audit(transaction, { at, actor: subject, action: `${decision}, signed`, subject: reference, detail });
  await putLast(transaction, id, at);
  return true;
}

/**
 * The first valid decision wins: `takenAt` must follow the order of the log, which takes one entry at a time, with any clocks
 * of two machines say.
 */
async function putLast(transaction: Database, id: string, at: number): Promise<void> {
  const takenAt = (await lastDecisionAt(transaction, id)) + 1;
  if (takenAt <= at) return;
  await transaction.updateTable('signedDecisions').set({ takenAt }).where('id', '=', id).execute();
}

/** Signed decisions about one question, in the order taken, including used ones. */
export async function signedDecisionsOf(
  db: Database,
  about: { reference: string; question: Question; digest: string },
): Promise<TakenDecision[]> {
  const { reference, question, digest } = about;
  const found = await db
    .selectFrom('signedDecisions')
    .selectAll()
    .where('reference', '=', reference)
    .where('question', '=', question)
    .where('digest', '=', digest)
    .orderBy('takenAt')
    .orderBy('id')
    .execute();
  return found.map(({ usedAt: _, ...signed }) => signed).filter((signed) => saysItself(signed, about));
}

/**
 * Whether a decision is about what it was found under. A table that somebody has replaced by a view can say one thing where it is
 * searched and another where it is read, and the signature is about what is read.
 */
const saysItself = (signed: Statement, about: Partial<Statement>): boolean =>
  Object.entries(about).every(([name, value]) => signed[name as keyof Statement] === value);

/** Signed plans of the batch that cover the row, under any digest; in the order taken. */
export async function plannedDecisionsOf(
  db: Database,
  { batchId, reference, question }: { batchId: string; reference: string; question: Question },
): Promise<PlannedDecision[]> {
  const found = await db
    .selectFrom('signedDecisions')
    .innerJoin('planRows', 'planRows.plan', 'signedDecisions.digest')
    .selectAll('signedDecisions')
    .select(['leafIndex', 'path', 'planRows.digest as rowDigest'])
    .where('signedDecisions.reference', '=', batchId)
    .where('question', '=', question)
    .where('planRows.reference', '=', reference)
    .orderBy('takenAt')
    .orderBy('signedDecisions.id')
    .execute();
  return found
    .filter((signed) => saysItself(signed, { reference: batchId, question }))
    .map(({ leafIndex: index, path, usedAt: _, ...signed }) => ({ ...signed, inclusion: { index, path } }));
}

/** Signed plans that decide about the rows of a batch, in the order taken. */
export async function plansOf(
  db: Database,
  batchId: string,
): Promise<Pick<TakenDecision, 'id' | 'question' | 'decision' | 'digest' | 'subject' | 'remark'>[]> {
  return db
    .selectFrom('signedDecisions')
    .select(['id', 'question', 'decision', 'digest', 'subject', 'remark'])
    .where('reference', '=', batchId)
    .where('question', '!=', 'make')
    .where((row) =>
      row.exists(row.selectFrom('planRows').select('plan').whereRef('plan', '=', 'signedDecisions.digest')),
    )
    .orderBy('takenAt')
    .orderBy('id')
    .execute();
}

/** References of the rows of a signed plan. */
export async function rowsOfPlan(db: Database, plan: string): Promise<string[]> {
  const rows = await db
    .selectFrom('planRows')
    .select('reference')
    .where('plan', '=', plan)
    .orderBy('leafIndex')
    .execute();
  return rows.map(({ reference }) => reference);
}

/** Workflow ids of a plan's rows that ask its question now. */
export async function awaitingUnder(
  db: Database,
  { digest, question }: Pick<SignedDecision, 'digest' | 'question'>,
): Promise<string[]> {
  const rows = await db
    .selectFrom('planRows')
    .innerJoin('payouts', 'payouts.reference', 'planRows.reference')
    .select('workflowId')
    .where('plan', '=', digest)
    .where('state', '=', question === 'bank' ? 'awaiting-bank-approval' : 'awaiting-approval')
    .execute();
  return rows.map(({ workflowId }) => workflowId);
}

/** When the last decision of any payout was taken, besides the one with this id; 0: none was. */
export async function lastDecisionAt(db: Database, besides = ''): Promise<number> {
  const last = await db
    .selectFrom('signedDecisions')
    .select('takenAt')
    .where('id', '!=', besides)
    .orderBy('takenAt', 'desc')
    .limit(1)
    .executeTakeFirst();
  return last?.takenAt ?? 0;
}

/** False if it was used before. */
export function useSignedDecision(db: Database, id: string, at: number): Promise<boolean> {
  return met(db.updateTable('signedDecisions').set({ usedAt: at }).where('id', '=', id).where('usedAt', 'is', null));
}
