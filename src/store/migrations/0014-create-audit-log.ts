import { type Kysely, sql } from 'kysely';
import { MerkleTree } from '../../audit/merkle.ts';
import { appendToTree } from '../audit.ts';
import type { ColumnTypes } from './column-types.ts';

/** Tables on disk as of this migration. */
interface Tables {
  audit: { seq: number; at: number; actor: string; action: string; subject: string; detail: string };
  audit_log: {
    seq: number;
    at: number;
    actor: string;
    action: string;
    subject: string;
    detail: string;
    leaf_hash: string;
  };
  audit_tree: { id: number; size: number; edge: string };
}

/** The audit as a transparency log; earlier entries become its first ones. */
export async function up(db: Kysely<unknown>, { serial }: ColumnTypes): Promise<void> {
  // Only with type `integer` does SQLite use the number as the table's own row key.
  const number = serial === 'integer' ? 'integer' : 'bigint';
  await db.schema
    .createTable('audit_log')
    .addColumn('seq', number, (column) => column.primaryKey())
    .addColumn('at', 'bigint', (column) => column.notNull())
    .addColumn('actor', 'text', (column) => column.notNull())
    .addColumn('action', 'text', (column) => column.notNull())
    .addColumn('subject', 'text', (column) => column.notNull())
    .addColumn('detail', 'text', (column) => column.notNull())
    .addColumn('leaf_hash', 'text', (column) => column.notNull())
    .execute();
  await db.schema.createIndex('audit_log_subject').on('audit_log').columns(['subject', 'seq']).execute();
  await db.schema
    .createTable('audit_tree')
    .addColumn('id', number, (column) => column.primaryKey())
    .addColumn('size', 'bigint', (column) => column.notNull())
    .addColumn('edge', 'text', (column) => column.notNull())
    .execute();
  await db.schema
    .createTable('audit_checkpoints')
    .addColumn('size', number, (column) => column.primaryKey())
    .addColumn('edge', 'text', (column) => column.notNull())
    .addColumn('note', 'text', (column) => column.notNull())
    .addColumn('at', 'bigint', (column) => column.notNull())
    .addColumn('copied_at', 'bigint')
    .execute();
  await db.schema
    .createIndex('audit_checkpoints_uncopied')
    .on('audit_checkpoints')
    .column('size')
    .where(sql.ref('copied_at'), 'is', null)
    .execute();
  await takeOver(db as Kysely<Tables>);
  await db.schema.dropTable('audit').execute();
}

async function takeOver(db: Kysely<Tables>): Promise<void> {
  const tree = new MerkleTree();
  for (const { seq: _, detail, ...entry } of await db.selectFrom('audit').selectAll().orderBy('seq').execute()) {
    const { leafHash, ...kept } = appendToTree({ ...entry, detail: JSON.parse(detail) }, tree);
    await db
      .insertInto('audit_log')
      .values({ ...kept, leaf_hash: leafHash })
      .execute();
  }
  await db
    .insertInto('audit_tree')
    .values({ id: 0, size: tree.size, edge: JSON.stringify(tree.edge) })
    .execute();
}
