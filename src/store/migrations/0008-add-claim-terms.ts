import type { Kysely } from 'kysely';

/**
 * The claim's term as a fencing token, the last assessment, how each attempt was settled, and decisions. Earlier attempts are not
 * settled, so whoever closes their payout looks first.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('payouts')
    .addColumn('term', 'integer', (column) => column.notNull().defaultTo(0))
    .execute();
  await db.schema.alterTable('payouts').addColumn('assessed', 'text').execute();
  await db.schema.alterTable('send_attempts').addColumn('settled', 'text').execute();
  await db.schema
    .createTable('decisions')
    .addColumn('reference', 'text', (column) => column.notNull())
    .addColumn('digest', 'text', (column) => column.notNull())
    .addColumn('by', 'text', (column) => column.notNull())
    .addColumn('at', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('decisions_key', ['reference', 'digest', 'by'])
    .execute();
}
