import type { Kysely } from 'kysely';

/** Verdicts of check providers on payees. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('payee_checks')
    .addColumn('uid', 'text', (column) => column.notNull())
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('provider', 'text', (column) => column.notNull())
    .addColumn('payee', 'text', (column) => column.notNull())
    .addColumn('verdict', 'text', (column) => column.notNull())
    .addColumn('name', 'text')
    .addColumn('other_name', 'text')
    .addColumn('case_id', 'text')
    .addColumn('why', 'text')
    .addColumn('asked_at', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('payee_checks_pk', ['uid', 'kind', 'provider', 'payee'])
    .execute();
}
