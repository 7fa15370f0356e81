import { type Kysely, sql } from 'kysely';
import type { ColumnTypes } from './column-types.ts';

/** The schema as of this migration: do not use the table types, which change later. */
type Schema = Kysely<unknown>;

export async function up(db: Schema, types: ColumnTypes): Promise<void> {
  await createBatches(db);
  await createPayouts(db);
  await createSendAttempts(db);
  await createOpenOrders(db);
  await createFacts(db);
  await createAudit(db, types);
}

async function createBatches(db: Schema): Promise<void> {
  await db.schema
    .createTable('meta')
    .addColumn('key', 'text', (column) => column.primaryKey())
    .addColumn('value', 'text', (column) => column.notNull())
    .execute();
  await db.schema
    .createTable('batches')
    .addColumn('batch_id', 'text', (column) => column.primaryKey())
    .addColumn('file', 'text', (column) => column.notNull())
    .addColumn('sha256', 'text', (column) => column.notNull())
    .addColumn('by', 'text')
    .addColumn('control', 'text', (column) => column.notNull())
    .addColumn('total', 'integer', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('ended_at', 'bigint')
    .execute();
}

async function createPayouts(db: Schema): Promise<void> {
  await db.schema
    .createTable('payouts')
    .addColumn('reference', 'text', (column) => column.primaryKey())
    .addColumn('workflow_id', 'text', (column) => column.notNull())
    .addColumn('uid', 'text', (column) => column.notNull())
    .addColumn('document_id', 'text', (column) => column.notNull())
    .addColumn('generation', 'integer', (column) => column.notNull())
    .addColumn('batch_id', 'text', (column) => column.references('batches.batch_id'))
    .addColumn('row', 'integer')
    .addColumn('instruction', 'text', (column) => column.notNull())
    .addColumn('payload_digest', 'text', (column) => column.notNull())
    .addColumn('amount', 'text', (column) => column.notNull())
    .addColumn('currency', 'text', (column) => column.notNull())
    .addColumn('by', 'text')
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('reason', 'text')
    .addColumn('order_id', 'text')
    .addColumn('fee', 'text')
    .addColumn('fee_currency', 'text')
    .addColumn('claim_run_id', 'text')
    .addColumn('released_at', 'bigint')
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('updated_at', 'bigint', (column) => column.notNull())
    .addColumn('ended_at', 'bigint')
    .addUniqueConstraint('payouts_document', ['uid', 'document_id', 'generation'])
    .addUniqueConstraint('payouts_batch_row', ['batch_id', 'row'])
    .execute();
  await db.schema
    .createIndex('payouts_batch_state')
    .on('payouts')
    .columns(['batch_id', 'state', 'released_at'])
    .execute();
  // A release asks for the next rows repeatedly; without this index it would step over all rows released before.
  await db.schema
    .createIndex('payouts_unreleased')
    .on('payouts')
    .columns(['batch_id', 'row'])
    .where(sql.ref('released_at'), 'is', null)
    .execute();
  for (const column of ['workflow_id', 'order_id', 'document_id']) {
    await db.schema.createIndex(`payouts_${column}`).on('payouts').column(column).execute();
  }
}

async function createSendAttempts(db: Schema): Promise<void> {
  await db.schema
    .createTable('send_attempts')
    .addColumn('reference', 'text', (column) => column.notNull())
    .addColumn('attempt', 'integer', (column) => column.notNull())
    .addColumn('run_id', 'text', (column) => column.notNull())
    .addColumn('activity_id', 'text', (column) => column.notNull())
    .addColumn('sent_at', 'bigint', (column) => column.notNull())
    .addColumn('outcome', 'text')
    .addColumn('order_id', 'text')
    .addColumn('code', 'integer')
    .addPrimaryKeyConstraint('send_attempts_key', ['reference', 'attempt'])
    .execute();
}

async function createOpenOrders(db: Schema): Promise<void> {
  await db.schema
    .createTable('open_orders')
    .addColumn('reference', 'text', (column) => column.notNull())
    .addColumn('uid', 'text', (column) => column.notNull())
    .addColumn('currency', 'text', (column) => column.notNull())
    .addColumn('workflow_id', 'text', (column) => column.notNull())
    .addColumn('opened_at', 'bigint', (column) => column.notNull())
    .addColumn('order_id', 'text')
    .addColumn('notified_status', 'text')
    .addColumn('next_look_at', 'bigint')
    .addPrimaryKeyConstraint('open_orders_key', ['reference', 'uid', 'currency'])
    .execute();
  await db.schema
    .createIndex('open_orders_watch')
    .on('open_orders')
    .columns(['uid', 'currency', 'opened_at'])
    .execute();
  await db.schema
    .createTable('watches')
    .addColumn('uid', 'text', (column) => column.notNull())
    .addColumn('currency', 'text', (column) => column.notNull())
    .addColumn('swept_at', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('watches_key', ['uid', 'currency'])
    .execute();
}

async function createFacts(db: Schema): Promise<void> {
  await db.schema
    .createTable('returns')
    .addColumn('order_id', 'text', (column) => column.primaryKey())
    .addColumn('reference', 'text', (column) => column.notNull())
    .addColumn('amount', 'text', (column) => column.notNull())
    .addColumn('currency', 'text', (column) => column.notNull())
    .addColumn('seen_at', 'bigint', (column) => column.notNull())
    .execute();
  await db.schema.createIndex('returns_reference').on('returns').column('reference').execute();
  await db.schema
    .createTable('unasked_orders')
    .addColumn('order_id', 'text', (column) => column.primaryKey())
    .addColumn('uid', 'text', (column) => column.notNull())
    .addColumn('currency', 'text', (column) => column.notNull())
    .addColumn('client_order_id', 'text')
    .addColumn('seen_at', 'bigint', (column) => column.notNull())
    .execute();
}

async function createAudit(db: Schema, { serial }: ColumnTypes): Promise<void> {
  await db.schema
    .createTable('audit')
    .addColumn('seq', serial, (column) =>
      serial === 'integer' ? column.primaryKey().autoIncrement() : column.primaryKey(),
    )
    .addColumn('at', 'bigint', (column) => column.notNull())
    .addColumn('actor', 'text', (column) => column.notNull())
    .addColumn('action', 'text', (column) => column.notNull())
    .addColumn('subject', 'text', (column) => column.notNull())
    .addColumn('detail', 'text', (column) => column.notNull())
    .execute();
  await db.schema.createIndex('audit_subject').on('audit').columns(['subject', 'seq']).execute();
}
