import { type AuditEntry, kept, leafText } from '../audit/entry.ts';
import { leafHash, MerkleTree, type TreeState } from '../audit/merkle.ts';
import { pagesOf } from '../domain/pages.ts';
import type { LoggedEntry } from './audit-schema.ts';
import { chunks, inChunks } from './chunks.ts';
import type { Database } from './database.ts';
import { json } from './json-columns.ts';
import { inTransaction } from './transaction.ts';

export const auditRepository = {
  audit: auditAlone,
  auditOf,
  auditEntries,
  entriesOfActions,
  auditLog,
  auditTree,
  strayEntry,
};

export type NumberedEntry = AuditEntry & { seq: number };

/** The row that holds the state of the tree. */
const TREE_ID = 0;

/** Until the transaction ends nobody appends, and no key of the log is changed. */
export async function lockTree(transaction: Database): Promise<void> {
  await transaction
    .updateTable('auditTree')
    .set((row) => ({ size: row.ref('size') }))
    .where('id', '=', TREE_ID)
    .execute();
}

/**
 * Appends to the log, in the transaction that changes what the entries explain, as its last step: on PostgreSQL the row of the
 * tree is locked until the commit, so that whoever locks another row behind it may wait for somebody who waits for the tree.
 */
export async function audit(transaction: Database, appended: AuditEntry | readonly AuditEntry[]): Promise<void> {
  const entries = [appended].flat();
  if (entries.length === 0) return;
  // Reads and locks in one statement, the one way that both databases know.
  const before = await transaction
    .updateTable('auditTree')
    .set((row) => ({ size: row('size', '+', entries.length) }))
    .where('id', '=', TREE_ID)
    .returning(['size', 'edge'])
    .executeTakeFirstOrThrow();
  const tree = new MerkleTree({ size: before.size - entries.length, edge: before.edge });
  const rows = entries.map((entry) => logged(entry, tree));
  for (const some of chunks(rows)) await transaction.insertInto('auditLog').values(some).execute();
  await transaction
    .updateTable('auditTree')
    .set({ edge: json(tree.edge) })
    .where('id', '=', TREE_ID)
    .execute();
}

/** The entry as the next one of the tree. */
export function logged(entry: AuditEntry, tree: MerkleTree): LoggedEntry {
  const next = kept(entry, tree.size);
  const hash = leafHash(leafText(next));
  tree.append(hash);
  return { ...next, leafHash: hash };
}

/** An act that changes nothing else in the store. */
function auditAlone(db: Database, entry: AuditEntry): Promise<void> {
  return inTransaction(db, (transaction) => audit(transaction, entry));
}

/** In the order in which they were written. */
async function auditOf(db: Database, subject: string): Promise<AuditEntry[]> {
  const found = await auditEntries(db, { subject });
  return found.map(({ seq: _, ...entry }) => entry);
}

/** Of one subject, or of a batch and every row of it; the first `limit`, in the order in which they were written. */
async function auditEntries(
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

/** Who did one of these about any of these subjects, in the order in which it was written. */
async function entriesOfActions(
  db: Database,
  actions: readonly string[],
  subjects: readonly string[],
): Promise<Pick<AuditEntry, 'at' | 'actor' | 'action' | 'subject'>[]> {
  const query = db.selectFrom('auditLog').select(['at', 'actor', 'action', 'subject']).where('action', 'in', actions);
  return inChunks(subjects, (some) => query.where('subject', 'in', some).orderBy('seq').execute());
}

const PAGE = 5_000;

/** Those numbered from `from` on and below `to`, page by page. */
export function auditLog(db: Database, { from, to }: { from: number; to: number }): AsyncGenerator<LoggedEntry[]> {
  const query = db.selectFrom('auditLog').selectAll().where('seq', '<', to).orderBy('seq').limit(PAGE);
  return pagesOf<LoggedEntry>(PAGE, (last) =>
    query.where('seq', '>=', last === undefined ? from : last.seq + 1).execute(),
  );
}

/** As it was after the last entry. */
export async function auditTree(db: Database): Promise<TreeState> {
  return db.selectFrom('auditTree').select(['size', 'edge']).where('id', '=', TREE_ID).executeTakeFirstOrThrow();
}

/** The first number of an entry that is none of the tree's. One statement, so that what is appended meanwhile is none. */
async function strayEntry(db: Database): Promise<number | undefined> {
  const tree = db.selectFrom('auditTree').select('size').where('id', '=', TREE_ID);
  const { seq } = await db
    .selectFrom('auditLog')
    .select((row) => row.fn.min<number | null>('seq').as('seq'))
    .where((row) => row.or([row('seq', '<', 0), row('seq', '>=', tree)]))
    .executeTakeFirstOrThrow();
  return seq ?? undefined;
}
