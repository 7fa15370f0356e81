import { Migrator } from 'kysely/migration';
import { migrations } from './migrations/all-migrations.ts';
import type { ColumnTypes } from './migrations/column-types.ts';
import type { Database } from './schema.ts';

/** The table that names the migrations a store has had. */
export const MIGRATION_TABLE = 'payouts_migration';

/** Brings the tables up to date, or up to one migration of all. */
export async function migrate(db: Database, types: ColumnTypes, upTo?: string): Promise<void> {
  const migrator = new Migrator({
    db,
    provider: { getMigrations: async () => migrations(types) },
    migrationTableName: MIGRATION_TABLE,
    migrationLockTableName: `${MIGRATION_TABLE}_lock`,
  });
  const { error } = await (upTo === undefined ? migrator.migrateToLatest() : migrator.migrateTo(upTo));
  if (error !== undefined) throw error;
}
