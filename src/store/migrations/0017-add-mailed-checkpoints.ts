import { type Kysely, sql } from 'kysely';

/** A second way for checkpoints to leave the machine, recorded separately. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('audit_checkpoints').addColumn('mailed_at', 'bigint').execute();
  await db.schema
    .createIndex('audit_checkpoints_unmailed')
    .on('audit_checkpoints')
    .column('size')
    .where(sql.ref('mailed_at'), 'is', null)
    .execute();
}
