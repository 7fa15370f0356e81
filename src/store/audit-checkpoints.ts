import { pagesOf } from '../domain/pages.ts';
import type { AuditEntry } from './audit/entry.ts';
import type { TreeState } from './audit/merkle.ts';
import { audit, auditLog, auditTree, lockTree } from './audit.ts';
import type { CheckpointRecord, LoggedEntry } from './audit-schema.ts';
import type { Database } from './engine/database.ts';
import { json } from './engine/json-columns.ts';
import { metaValue, setMeta } from './engine/meta.ts';
import { insertNew } from './engine/row-writes.ts';
import { inTransaction } from './engine/transaction.ts';

const VERIFIER = 'audit_verifier';

/** Verifier key of the log; undefined: nobody has signed yet. */
export const auditVerifier = (db: Database): Promise<string | undefined> => metaValue(db, VERIFIER);

/** Records the verifier key unless one is recorded, and returns the one in force. */
export async function recordAuditVerifier(db: Database, verifier: string): Promise<string> {
  await insertNew(db, 'meta', { key: VERIFIER, value: verifier });
  return (await auditVerifier(db)) ?? verifier;
}

export async function lastCheckpoint(db: Database): Promise<CheckpointRecord | undefined> {
  return db.selectFrom('auditCheckpoints').selectAll().orderBy('size', 'desc').limit(1).executeTakeFirst();
}

const PAGE = 1_000;

/** In order of size, read page by page. */
export async function* checkpoints(db: Database): AsyncGenerator<CheckpointRecord> {
  const query = db.selectFrom('auditCheckpoints').selectAll().orderBy('size').limit(PAGE);
  const behind = (last?: CheckpointRecord) => query.where('size', '>', last?.size ?? -1).execute();
  for await (const page of pagesOf(PAGE, behind)) yield* page;
}

/** Keeps the first checkpoint of each size: a growing tree has one root per size. Ignores one signed with a replaced key. */
export function recordCheckpoint(db: Database, signed: NewCheckpoint, verifier: string): Promise<void> {
  return inTransaction(db, async (transaction) => {
    await lockTree(transaction);
    if (((await auditVerifier(transaction)) ?? verifier) === verifier) await insertCheckpoint(transaction, signed);
  });
}

type NewCheckpoint = Omit<CheckpointRecord, Left>;

async function insertCheckpoint(db: Database, { edge, ...signed }: NewCheckpoint): Promise<void> {
  await insertNew(db, 'auditCheckpoints', { ...signed, edge: json(edge) });
}

/** The log as it stands when its key is replaced. */
export interface LogToSign {
  last: CheckpointRecord | undefined;
  /** Entries after the last checkpoint. */
  added: readonly LoggedEntry[];
  tree: TreeState;
}

/**
 * Replaces the signing key. The entry that says so is the last one of a checkpoint that `sign` makes with both keys, or throws.
 * All or nothing.
 */
export function rotateAuditVerifier(
  db: Database,
  { entry, verifier }: { entry: AuditEntry; verifier: string },
  sign: (log: LogToSign) => string,
): Promise<void> {
  return inTransaction(db, async (transaction) => {
    await audit(transaction, entry);
    const tree = await auditTree(transaction);
    const last = await lastCheckpoint(transaction);
    const added = await Array.fromAsync(auditLog(transaction, { from: last?.size ?? 0, to: tree.size }));
    const note = sign({ last, added: added.flat(), tree });
    await insertCheckpoint(transaction, { size: tree.size, edge: tree.edge, note, at: entry.at });
    await setMeta(transaction, VERIFIER, verifier);
  });
}

/** Column that records how a checkpoint left the machine. */
type Left = 'copiedAt' | 'mailedAt';

/** Checkpoints that have not left in this way, smallest first, one page. */
export async function waitingCheckpoints(db: Database, way: Left): Promise<CheckpointRecord[]> {
  return db.selectFrom('auditCheckpoints').selectAll().where(way, 'is', null).orderBy('size').limit(PAGE).execute();
}

/** Marks those up to this size that had not left yet. */
export async function markLeft(db: Database, way: Left, upTo: number, at: number): Promise<void> {
  await db
    .updateTable('auditCheckpoints')
    .set({ [way]: at })
    .where(way, 'is', null)
    .where('size', '<=', upTo)
    .execute();
}
