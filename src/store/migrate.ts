import { Migrator } from 'kysely/migration';
import type { Database } from './database.ts';
import { migrations } from './migrations/all-migrations.ts';
import type { ColumnTypes } from './migrations/column-types.ts';

/** The table that names the migrations a store has had. */
export const MIGRATION_TABLE = 'payouts_migration';

/** Brings the tables up to date, or up to one migration of all. */
export async function migrate(db: Database, types: ColumnTypes, upTo?: string): Promise<void> {
  const migrator = new Migrator({
    // A released migration names tables and columns as they are on disk.
    db: db.withoutPlugins(),
    provider: { getMigrations: () => migrations(types) },
    migrationTableName: MIGRATION_TABLE,
    migrationLockTableName: `${MIGRATION_TABLE}_lock`,
  });
  const { error } = await (upTo === undefined ? migrator.migrateToLatest() : migrator.migrateTo(upTo));
  if (error !== undefined) throw error;
}
