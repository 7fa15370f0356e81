import type { AuditEntry } from '../audit/entry.ts';
import type { TreeState } from '../audit/merkle.ts';
import { pagesOf } from '../domain/pages.ts';
import { audit, auditLog, auditTree, lockTree } from './audit.ts';
import type { CheckpointRecord, LoggedEntry } from './audit-schema.ts';
import type { Database } from './database.ts';
import { json } from './json-columns.ts';
import { inTransaction } from './transaction.ts';

export const checkpointRepository = {
  auditVerifier,
  recordAuditVerifier,
  rotateAuditVerifier,
  lastCheckpoint,
  checkpoints,
  recordCheckpoint,
  waitingCheckpoints,
  markLeft,
};

const VERIFIER = 'audit_verifier';

/** The verifier key of whoever signed first; undefined: nobody has. */
async function auditVerifier(db: Database): Promise<string | undefined> {
  const row = await db.selectFrom('meta').select('value').where('key', '=', VERIFIER).executeTakeFirst();
  return row?.value;
}

/** The one that counts from now on: of two at once the other one's may be. */
async function recordAuditVerifier(db: Database, verifier: string): Promise<string> {
  await db
    .insertInto('meta')
    .values({ key: VERIFIER, value: verifier })
    .onConflict((conflict) => conflict.column('key').doNothing())
    .execute();
  return (await auditVerifier(db)) ?? verifier;
}

async function lastCheckpoint(db: Database): Promise<CheckpointRecord | undefined> {
  return db.selectFrom('auditCheckpoints').selectAll().orderBy('size', 'desc').limit(1).executeTakeFirst();
}

const PAGE = 1_000;

/** By size, page by page. */
async function* checkpoints(db: Database): AsyncGenerator<CheckpointRecord> {
  const query = db.selectFrom('auditCheckpoints').selectAll().orderBy('size').limit(PAGE);
  const behind = (last?: CheckpointRecord) => query.where('size', '>', last?.size ?? -1).execute();
  for await (const page of pagesOf(PAGE, behind)) yield* page;
}

/** Of one size the first one stays: a tree that only grows has one root for each. Nothing is recorded for a key that has been replaced. */
function recordCheckpoint(db: Database, signed: NewCheckpoint, verifier: string): Promise<void> {
  return inTransaction(db, async (transaction) => {
    await lockTree(transaction);
    if (((await auditVerifier(transaction)) ?? verifier) === verifier) await insertCheckpoint(transaction, signed);
  });
}

type NewCheckpoint = Omit<CheckpointRecord, Left>;

async function insertCheckpoint(db: Database, { edge, ...signed }: NewCheckpoint): Promise<void> {
  await db
    .insertInto('auditCheckpoints')
    .values({ ...signed, edge: json(edge), copiedAt: null, mailedAt: null })
    .onConflict((conflict) => conflict.column('size').doNothing())
    .execute();
}

/** The log as it stands when its key is replaced. */
export interface LogToSign {
  last: CheckpointRecord | undefined;
  /** Behind the last checkpoint. */
  added: readonly LoggedEntry[];
  tree: TreeState;
}

/**
 * Another key signs from now on: the entry that says so is the last one of a checkpoint, which `sign` makes with both keys, or
 * throws. All of it is there, or nothing is.
 */
function rotateAuditVerifier(
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
    await transaction.updateTable('meta').set({ value: verifier }).where('key', '=', VERIFIER).execute();
  });
}

/** In which way a checkpoint has left the machine. */
type Left = 'copiedAt' | 'mailedAt';

/** Those that have not left in this way, by size, the first few. */
async function waitingCheckpoints(db: Database, way: Left): Promise<CheckpointRecord[]> {
  return db.selectFrom('auditCheckpoints').selectAll().where(way, 'is', null).orderBy('size').limit(PAGE).execute();
}

/** Of those that had not, the ones up to this size have. */
async function markLeft(db: Database, way: Left, upTo: number, at: number): Promise<void> {
  await db
    .updateTable('auditCheckpoints')
    .set({ [way]: at })
    .where(way, 'is', null)
    .where('size', '<=', upTo)
    .execute();
}
