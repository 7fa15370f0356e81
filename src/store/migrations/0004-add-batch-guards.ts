import type { Kysely } from 'kysely';

/** The bank message a batch came as, its refused rows, and what makes two payouts look alike. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const column of ['message', 'message_id', 'retry_of']) {
    await db.schema.alterTable('batches').addColumn(column, 'text').execute();
  }
  for (const column of ['original', 'look_alike_key', 'look_alike_of']) {
    await db.schema.alterTable('payouts').addColumn(column, 'text').execute();
  }
  await db.schema.createIndex('batches_message_id').on('batches').column('message_id').execute();
  await db.schema.createIndex('payouts_look_alike').on('payouts').columns(['look_alike_key', 'created_at']).execute();
  await db.schema
    .createTable('refused_rows')
    .addColumn('batch_id', 'text', (column) => column.notNull().references('batches.batch_id'))
    .addColumn('row', 'integer', (column) => column.notNull())
    .addColumn('line', 'integer', (column) => column.notNull())
    .addColumn('instruction', 'text', (column) => column.notNull())
    .addColumn('original', 'text')
    .addColumn('reference', 'text')
    .addColumn('findings', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('refused_rows_key', ['batch_id', 'row'])
    .execute();
}
