import { type Kysely, sql } from 'kysely';

type Schema = Kysely<unknown>;

/** Card payments, their ids as sent and at the acquirer, and events about them. */
export async function up(db: Schema): Promise<void> {
  await createPayments(db);
  await createIds(db);
  await createEvents(db);
}

async function createPayments(db: Schema): Promise<void> {
  await db.schema
    .createTable('card_payments')
    .addColumn('merchant_request_id', 'text', (column) => column.primaryKey())
    .addColumn('workflow_id', 'text', (column) => column.notNull())
    .addColumn('amount', 'text', (column) => column.notNull())
    .addColumn('currency', 'text', (column) => column.notNull())
    .addColumn('payment_type', 'text', (column) => column.notNull())
    .addColumn('digest', 'text', (column) => column.notNull())
    .addColumn('by', 'text')
    .addColumn('client_secret_sha256', 'text')
    .addColumn('bin', 'text')
    .addColumn('last_four', 'text')
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('reason', 'text')
    .addColumn('payment_id', 'text')
    .addColumn('first_run_id', 'text')
    .addColumn('run_id', 'text')
    .addColumn('contradicted_at', 'bigint')
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('updated_at', 'bigint', (column) => column.notNull())
    .addColumn('ended_at', 'bigint')
    .execute();
  await db.schema.createIndex('card_payments_newest').on('card_payments').column('created_at').execute();
}

async function createIds(db: Schema): Promise<void> {
  await db.schema
    .createTable('card_requests')
    .addColumn('request_id', 'text', (column) => column.primaryKey())
    .addColumn('merchant_request_id', 'text', (column) => column.notNull())
    .execute();
  await db.schema
    .createTable('card_payment_ids')
    .addColumn('payment_id', 'text', (column) => column.primaryKey())
    .addColumn('merchant_request_id', 'text', (column) => column.notNull())
    .addColumn('linked_at', 'bigint', (column) => column.notNull())
    .execute();
  await db.schema.createIndex('card_payment_ids_owner').on('card_payment_ids').column('merchant_request_id').execute();
  await db.schema
    .createTable('card_waiters')
    .addColumn('merchant_request_id', 'text', (column) => column.notNull())
    .addColumn('payout_workflow_id', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('card_waiters_key', ['merchant_request_id', 'payout_workflow_id'])
    .execute();
}

async function createEvents(db: Schema): Promise<void> {
  await db.schema
    .createTable('card_events')
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('payment_id', 'text', (column) => column.notNull())
    .addColumn('status', 'text', (column) => column.notNull())
    .addColumn('trust', 'text', (column) => column.notNull())
    .addColumn('receipt_id', 'text', (column) => column.notNull().unique())
    .addColumn('merchant_request_id', 'text')
    .addColumn('received_at', 'bigint', (column) => column.notNull())
    .addColumn('effect', 'text')
    .addColumn('delivered_at', 'bigint')
    .addColumn('looks', 'integer', (column) => column.notNull())
    .addPrimaryKeyConstraint('card_events_key', ['payment_id', 'kind', 'status'])
    .execute();
  await db.schema.createIndex('card_events_owner').on('card_events').column('merchant_request_id').execute();
  await db.schema
    .createIndex('card_events_undelivered')
    .on('card_events')
    .columns(['received_at', 'receipt_id'])
    .where(sql.ref('effect'), 'is', null)
    .execute();
}
