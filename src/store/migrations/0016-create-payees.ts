import type { Kysely } from 'kysely';

/** Payees as the bank showed them, and payments made to them. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('payees')
    .addColumn('uid', 'text', (column) => column.notNull())
    .addColumn('payee_id', 'text', (column) => column.notNull())
    .addColumn('digest', 'text', (column) => column.notNull())
    .addColumn('name', 'text')
    .addColumn('name_as_shown', 'text')
    .addColumn('name_in_small', 'text')
    .addColumn('country', 'text')
    .addColumn('seen_at', 'bigint', (column) => column.notNull())
    .addColumn('changed_at', 'bigint')
    .addPrimaryKeyConstraint('payees_pk', ['uid', 'payee_id'])
    .execute();
  for (const name of ['name_as_shown', 'name_in_small']) {
    await db.schema.createIndex(`payees_${name}`).on('payees').columns(['uid', name]).execute();
  }
  await db.schema
    .createTable('payee_payments')
    .addColumn('reference', 'text', (column) => column.primaryKey())
    .addColumn('uid', 'text', (column) => column.notNull())
    .addColumn('payee_id', 'text', (column) => column.notNull())
    .addColumn('digest', 'text', (column) => column.notNull())
    .addColumn('amount', 'text', (column) => column.notNull())
    .addColumn('currency', 'text', (column) => column.notNull())
    .addColumn('paid_at', 'bigint', (column) => column.notNull())
    .execute();
  await db.schema
    .createIndex('payee_payments_payee')
    .on('payee_payments')
    .columns(['uid', 'payee_id', 'paid_at'])
    .execute();
  await db.schema.createIndex('payees_country').on('payees').columns(['uid', 'country']).execute();
}
