import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** A second way for checkpoints to leave the machine, recorded separately. */
export const addMailedCheckpoints = (): Migration => ({
  async up(db: Kysely<unknown>) {
    await db.schema.alterTable('audit_checkpoints').addColumn('mailed_at', 'bigint').execute();
    await db.schema
      .createIndex('audit_checkpoints_unmailed')
      .on('audit_checkpoints')
      .column('size')
      .where(sql.ref('mailed_at'), 'is', null)
      .execute();
  },
});
