import type { Kysely } from 'kysely';

/** Answers to bank messages, so that a later answer can report what changed and which one it supersedes. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('answers')
    .addColumn('batch_id', 'text', (column) => column.notNull())
    .addColumn('version', 'integer', (column) => column.notNull())
    .addColumn('message_id', 'text', (column) => column.notNull())
    .addColumn('supersedes', 'text')
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('answers_pk', ['batch_id', 'version'])
    .execute();
  await db.schema
    .createTable('answered_transactions')
    .addColumn('batch_id', 'text', (column) => column.notNull())
    .addColumn('version', 'integer', (column) => column.notNull())
    .addColumn('part', 'integer', (column) => column.notNull())
    .addColumn('told', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('answered_transactions_pk', ['batch_id', 'version', 'part'])
    .execute();
}
