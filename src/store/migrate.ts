import { sql } from 'kysely';
import { type MigrationProvider, Migrator } from 'kysely/migration';
import type { Database } from './database.ts';
import { StoreNewerError } from './errors.ts';
import { migrations } from './migrations/all-migrations.ts';
import type { ColumnTypes } from './migrations/column-types.ts';
import { storeProblemOf } from './postgres-pool.ts';

/** The table that names the migrations a store has had. */
export const MIGRATION_TABLE = 'payouts_migration';

/** In the name of a migration that takes away what builds before its expanding one use. */
const CONTRACTS = /^\d{4}-contract-/;

/**
 * Brings the tables up to date, or up to one migration of all. A store that a later build has expanded stays as it is: this build
 * works with it.
 *
 * @throws StoreNewerError where a later build has contracted it
 */
export async function migrate(
  db: Database,
  types: ColumnTypes,
  { upTo, steps = () => migrations(types) }: { upTo?: string; steps?: MigrationProvider['getMigrations'] } = {},
): Promise<void> {
  const migrator = new Migrator({
    // A released migration names tables and columns as they are on disk.
    db: db.withoutPlugins(),
    provider: { getMigrations: steps },
    migrationTableName: MIGRATION_TABLE,
    migrationLockTableName: `${MIGRATION_TABLE}_lock`,
  });
  const { error } = await (upTo === undefined ? migrator.migrateToLatest() : migrator.migrateTo(upTo));
  if (error === undefined) return;
  // The migrator refuses a store that has had a step it does not know, before it does anything.
  const applied = await appliedSteps(db).catch((): string[] => []);
  const known = Object.keys(await steps());
  assertNotContracted(applied, known);
  const isAhead = known.every((name) => applied.includes(name)) && applied.length > known.length;
  // Where its connection breaks, the migrator tells of what it then could not do any more.
  if (!isAhead) throw storeProblemOf(error) ?? error;
}

/** Names of the migrations that a store has had, in order. */
export async function appliedSteps(db: Database): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`select name from ${sql.table(MIGRATION_TABLE)} order by name`.execute(
    db,
  );
  return rows.map(({ name }) => name);
}

/** @throws StoreNewerError for a step that is not known and takes away what this build uses */
export function assertNotContracted(applied: readonly string[], known: readonly string[]): void {
  const contracting = applied.find((name) => !known.includes(name) && CONTRACTS.test(name));
  if (contracting !== undefined) throw new StoreNewerError(contracting);
}
