import { sql } from 'kysely';
import { type MigrationProvider, Migrator } from 'kysely/migration';
import { Problem } from '../../domain/problem.ts';
import { migrationNames, migrations } from '../migrations/all-migrations.ts';
import type { Database } from './database.ts';
import { grantRoles, mayMigrate, storeProblemOf } from './postgres.ts';
import type { StoreLocation } from './store-url.ts';

/** Table of the migrations applied to a store. */
export const MIGRATION_TABLE = 'payouts_migration';

/** Names of contracting migrations, which remove what builds older than their expanding counterpart use. */
const CONTRACTS = /^\d{4}-contract-/;

/**
 * Migrates the tables to the latest migration, or to `upTo`. A store that a later build has expanded stays as it is: this build
 * can use it.
 *
 * @throws Problem `store-newer` if a later build has contracted it, `store-other-version` if its steps do not lead to this
 * build's
 */
export async function migrate(
  db: Database,
  place: StoreLocation,
  { upTo, steps = () => migrations(place.kind) }: { upTo?: string; steps?: MigrationProvider['getMigrations'] } = {},
): Promise<void> {
  const migrator = new Migrator({
    // Migrations use the names on disk.
    db: db.withoutPlugins(),
    provider: { getMigrations: steps },
    migrationTableName: MIGRATION_TABLE,
    migrationLockTableName: `${MIGRATION_TABLE}_lock`,
  });
  const { error } = await (upTo === undefined ? migrator.migrateToLatest() : migrator.migrateTo(upTo));
  if (error === undefined) return;
  // The migrator refuses a store with an unknown migration before it does anything.
  const applied = await appliedSteps(db).catch((): string[] => []);
  const known = Object.keys(await steps());
  assertUsable(applied, known, place.kind === 'file' ? place.path : 'PostgreSQL');
  const isAhead = applied.length > known.length;
  // After a broken connection the migrator reports what it could no longer do, not the cause.
  if (!isAhead) throw storeProblemOf(error) ?? error;
}

/**
 * The same on PostgreSQL only where a migration is missing: other roles than the owner work on tables that are there. The owner
 * then says who may do what with the tables.
 *
 * @throws Problem `store-not-migrated` if the role may not make what is missing
 */
export async function migrateIfNeeded(db: Database, place: StoreLocation): Promise<void> {
  if (place.kind === 'file') return migrate(db, place);
  const applied = await appliedSteps(db).catch(none);
  const known = migrationNames();
  assertUsable(applied, known, 'PostgreSQL');
  const missing = known.filter((name) => !applied.includes(name));
  if (missing.length === 0) return;
  if (await mayMigrate(db)) return migrateAndGrant(db);
  throw new Problem(
    'set-up',
    'store-not-migrated',
    `The store lacks tables of this version (${missing.join(', ')}), and its role may not make them.`,
    { hint: "First run payouts migrate, with the owner's role in PAYOUTS_STORE_URL." },
  );
}

/** Migrates a store on PostgreSQL and gives its other roles what they need. */
export async function migrateAndGrant(db: Database): Promise<void> {
  await migrate(db, { kind: 'postgres' });
  await grantRoles(db);
}

/** Nothing where there is no table of migrations yet. */
function none(error: unknown): string[] {
  if (error instanceof Error && 'code' in error && error.code === UNDEFINED_TABLE) return [];
  throw error;
}

/** SQLSTATE. */
const UNDEFINED_TABLE = '42P01';

/** Names of the applied migrations, in order. */
export async function appliedSteps(db: Database): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`select name from ${sql.table(MIGRATION_TABLE)} order by name`.execute(
    db,
  );
  return rows.map(({ name }) => name);
}

/**
 * @throws Problem `store-newer` for an unknown migration that removes what this build uses, `store-other-version` for an unknown
 * one in a store that lacks a known one
 */
export function assertUsable(applied: readonly string[], known: readonly string[], where: string): void {
  const unknown = applied.filter((name) => !known.includes(name));
  const contracting = unknown.find((name) => CONTRACTS.test(name));
  if (contracting !== undefined) {
    const message = `a later version of this program has removed something from the store that this one uses (${contracting}).`;
    throw new Problem('set-up', 'store-newer', message, { hint: 'Use that version, or a later one.' });
  }
  const [first] = unknown;
  if (first !== undefined && !known.every((name) => applied.includes(name))) {
    throw new Problem(
      'set-up',
      'store-other-version',
      `the store in ${where} was made by a version that this one does not continue, such as one from before the first ` +
        `release (${first}).`,
      { hint: 'End what is open in it with that version, then use a new store (PAYOUTS_HOME or PAYOUTS_STORE_URL).' },
    );
  }
}
