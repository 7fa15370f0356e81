import { sql } from 'kysely';
import { pagesOf } from '../domain/iterate.ts';
import { type AuditEntry, COMMENTED, leafText, serializedEntry } from './audit/entry.ts';
import { leafHash, MerkleTree, type TreeState } from './audit/merkle.ts';
import { json } from './engine/column-dialect.ts';
import type { Database } from './engine/database.ts';
import { chunks, inChunks, insertNew, inTransaction, metaValue, setMeta } from './engine/database.ts';
import type { CheckpointRecord, LoggedEntry } from './schema.ts';

export type NumberedEntry = AuditEntry & { seq: number };

/** Id of the only row of `auditTree`. */
const TREE_ID = 0;

/** Keeps others from appending, and from changing the log's key, until the transaction ends. */
async function lockTree(transaction: Database): Promise<void> {
  await transaction
    .updateTable('auditTree')
    .set((row) => ({ size: row.ref('size') }))
    .where('id', '=', TREE_ID)
    .execute();
}

/**
 * Appends entries in the transaction that changes what they explain, as its last step: on PostgreSQL the tree's row stays locked
 * until the commit, so locking another row after it risks a deadlock.
 */
export async function audit(transaction: Database, appended: AuditEntry | readonly AuditEntry[]): Promise<void> {
  const entries = [appended].flat();
  if (entries.length === 0) return;
  // One statement that reads and locks: the only way that works on both databases.
  const before = await transaction
    .updateTable('auditTree')
    .set((row) => ({ size: row('size', '+', entries.length) }))
    .where('id', '=', TREE_ID)
    .returning(['size', 'edge'])
    .executeTakeFirstOrThrow();
  const tree = new MerkleTree({ size: before.size - entries.length, edge: before.edge });
  const rows = entries.map((entry): LoggedEntry => {
    const next = serializedEntry(entry, tree.size);
    const hash = leafHash(leafText(next));
    tree.append(hash);
    return { ...next, leafHash: hash };
  });
  for (const some of chunks(rows)) await transaction.insertInto('auditLog').values(some).execute();
  await transaction
    .updateTable('auditTree')
    .set({ edge: json(tree.edge) })
    .where('id', '=', TREE_ID)
    .execute();
}

/** Audits an act that changes nothing else in the store. */
export function auditAlone(db: Database, entry: AuditEntry): Promise<void> {
  return inTransaction(db, (transaction) => audit(transaction, entry));
}

/** In the order written. */
export async function auditEntriesOf(db: Database, subject: string): Promise<AuditEntry[]> {
  const found = await auditEntries(db, { subject });
  return found.map(({ seq: _, ...entry }) => entry);
}

/** Entries about one subject, or about a batch and each of its rows; the first `limit`, in the order written. */
export async function auditEntries(
  db: Database,
  about: { subject: string } | { batchId: string },
  limit?: number,
): Promise<NumberedEntry[]> {
  const found = await db
    .selectFrom('auditLog')
    .select(['seq', 'at', 'actor', 'action', 'subject', 'detail'])
    .where((row) => {
      if ('subject' in about) return row('subject', '=', about.subject);
      const rows = db.selectFrom('payouts').select('reference').where('batchId', '=', about.batchId);
      return row.or([row('subject', '=', about.batchId), row('subject', 'in', rows)]);
    })
    .orderBy('seq')
    .$if(limit !== undefined, (query) => query.limit(limit ?? 0))
    .execute();
  return found.map(({ detail, ...entry }) => ({ ...entry, detail: JSON.parse(detail) }));
}

const numbered = (db: Database) =>
  db.selectFrom('auditLog').select(['seq', 'at', 'actor', 'action', 'subject', 'detail']).orderBy('seq');

const parsed = ({ detail, ...entry }: Omit<LoggedEntry, 'leafHash'>): NumberedEntry => ({
  ...entry,
  detail: JSON.parse(detail),
});

/** All entries about these subjects, in the order written for each of them. */
export async function numberedEntriesOf(db: Database, subjects: readonly string[]): Promise<NumberedEntry[]> {
  return (await inChunks(subjects, (some) => numbered(db).where('subject', 'in', some).execute())).map(parsed);
}

/** Entries with any of these actions, page by page. */
export async function* entriesWith(db: Database, actions: readonly string[]): AsyncGenerator<NumberedEntry[]> {
  const query = numbered(db).where('action', 'in', actions).limit(PAGE);
  const behind = (last?: Omit<LoggedEntry, 'leafHash'>) => query.where('seq', '>', last?.seq ?? -1).execute();
  for await (const page of pagesOf(PAGE, behind)) yield page.map(parsed);
}

/** Entries with any of these actions about a payout that is not in the store; the first `limit`. */
export async function entriesWithoutPayout(
  db: Database,
  actions: readonly string[],
  limit: number,
): Promise<NumberedEntry[]> {
  const found = await numbered(db)
    .where('action', 'in', actions)
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom('payouts').select('reference').whereRef('payouts.reference', '=', 'auditLog.subject'))),
    )
    .limit(limit)
    .execute();
  return found.map(parsed);
}

/** Entries with any of these actions and subjects; in the order written for each chunk of subjects. */
export async function entriesOfActions(
  db: Database,
  actions: readonly string[],
  subjects: readonly string[],
): Promise<Pick<AuditEntry, 'at' | 'actor' | 'action' | 'subject'>[]> {
  const query = db.selectFrom('auditLog').select(['at', 'actor', 'action', 'subject']).where('action', 'in', actions);
  return inChunks(subjects, (some) => query.where('subject', 'in', some).orderBy('seq').execute());
}

/** Comments since then on payouts that somebody has made or commented on, of everybody without a name; the newest first. */
export async function commentsFor(
  db: Database,
  { name, since, limit }: { name: string | undefined; since: number; limit: number },
): Promise<AuditEntry[]> {
  // A literal, which the partial index needs.
  const action = sql.lit(COMMENTED);
  const found = await db
    .selectFrom('auditLog as entry')
    .select(['seq', 'at', 'actor', 'action', 'subject', 'detail'])
    .where('action', '=', action)
    .where('at', '>=', since)
    .$if(name !== undefined, (query) =>
      query.where(({ or, exists, selectFrom }) => {
        const made = selectFrom('payouts').select('reference').whereRef('reference', '=', 'entry.subject');
        const said = selectFrom('auditLog as other')
          .select('other.seq')
          .whereRef('other.subject', '=', 'entry.subject');
        return or([
          exists(made.where('by', '=', name ?? '')),
          exists(said.where('other.action', '=', action).where('other.actor', '=', name ?? '')),
        ]);
      }),
    )
    .orderBy('seq', 'desc')
    .limit(limit)
    .execute();
  return found.map(({ seq: _, detail, ...entry }) => ({ ...entry, detail: JSON.parse(detail) }));
}

const PAGE = 5_000;

/** Those numbered from `from` on and below `to`, page by page. */
export function auditLog(db: Database, { from, to }: { from: number; to: number }): AsyncGenerator<LoggedEntry[]> {
  const query = db.selectFrom('auditLog').selectAll().where('seq', '<', to).orderBy('seq').limit(PAGE);
  return pagesOf<LoggedEntry>(PAGE, (last) =>
    query.where('seq', '>=', last === undefined ? from : last.seq + 1).execute(),
  );
}

/** State of the tree after the last entry. */
export async function auditTree(db: Database): Promise<TreeState> {
  return db.selectFrom('auditTree').select(['size', 'edge']).where('id', '=', TREE_ID).executeTakeFirstOrThrow();
}

/** Lowest number of an entry outside the tree. One statement, so that an entry appended meanwhile does not count. */
export async function firstEntryOutsideTree(db: Database): Promise<number | undefined> {
  const tree = db.selectFrom('auditTree').select('size').where('id', '=', TREE_ID);
  const { seq } = await db
    .selectFrom('auditLog')
    .select((row) => row.fn.min<number | null>('seq').as('seq'))
    .where((row) => row.or([row('seq', '<', 0), row('seq', '>=', tree)]))
    .executeTakeFirstOrThrow();
  return seq ?? undefined;
}

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

const CHECKPOINTS_READ = 1_000;

/** In order of size, read page by page. */
export async function* checkpoints(db: Database): AsyncGenerator<CheckpointRecord> {
  const query = db.selectFrom('auditCheckpoints').selectAll().orderBy('size').limit(CHECKPOINTS_READ);
  const behind = (last?: CheckpointRecord) => query.where('size', '>', last?.size ?? -1).execute();
  for await (const page of pagesOf(CHECKPOINTS_READ, behind)) yield* page;
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

/** The state of the log when its key is replaced. */
interface LogToSign {
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
  return db
    .selectFrom('auditCheckpoints')
    .selectAll()
    .where(way, 'is', null)
    .orderBy('size')
    .limit(CHECKPOINTS_READ)
    .execute();
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
