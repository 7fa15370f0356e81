import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import { PostgresNamingDialect } from '../../src/store/engine/column-dialect.ts';
import { type Database, openDatabase } from '../../src/store/engine/database.ts';
import { migrate } from '../../src/store/engine/migrate.ts';
import { openPostgresPool } from '../../src/store/engine/postgres.ts';
import { nodeSqliteDialect, openSqliteFile } from '../../src/store/engine/sqlite.ts';
import { storeLocation } from '../../src/store/engine/store-url.ts';
import { migrations } from '../../src/store/migrations/all-migrations.ts';

/** What a build of tomorrow does to a store: first everything that an expanding step may do, later a contracting one. */
const EXPAND: Migration = {
  async up(db: Kysely<unknown>) {
    for (const { name } of await db.introspection.getTables()) {
      await db.schema.alterTable(name).addColumn('tomorrow', 'text').execute();
      const counted = (
        column: Parameters<Parameters<ReturnType<typeof db.schema.alterTable>['addColumn']>[2] & object>[0],
      ) => column.notNull().defaultTo(0);
      await db.schema.alterTable(name).addColumn('tomorrow_count', 'integer', counted).execute();
      await db.schema.createIndex(`${name}_tomorrow`).on(name).columns(['tomorrow']).execute();
    }
    await db.schema
      .createTable('of_tomorrow')
      .addColumn('reference', 'text', (column) => column.primaryKey().references('payouts.reference'))
      .execute();
  },
};
const CONTRACT: Migration = {
  up: async (db: Kysely<unknown>) => db.schema.alterTable('batches').dropColumn('file').execute(),
};
export const EXPANDED = { '9001-add-tomorrow': EXPAND };
export const CONTRACTED = { ...EXPANDED, '9002-contract-batches': CONTRACT };

/** Opens a store of any URL as its tables are. */
export function openTables(url: string): Database {
  const place = storeLocation(url);
  return openDatabase(
    place.kind === 'postgres'
      ? new PostgresNamingDialect({ pool: openPostgresPool(url) })
      : nodeSqliteDialect(() => openSqliteFile(place.path)),
  );
}

/** A later build with these steps beside today's opens the store. */
export async function migrateAsLater(url: string, later: Readonly<Record<string, Migration>>): Promise<void> {
  const place = storeLocation(url);
  const db = openTables(url);
  try {
    await migrate(db, place, { steps: async () => ({ ...(await migrations(place.kind)), ...later }) });
  } finally {
    await db.destroy();
  }
}

/** What a build of tomorrow has noted in a row of its own column. */
export async function noteAsLater(url: string, reference: string, noted: string): Promise<void> {
  const db = openTables(url);
  await sql`update payouts set tomorrow = ${noted} where reference = ${reference}`.execute(db);
  await db.destroy();
}

export async function notedByLater(url: string, reference: string): Promise<string | null | undefined> {
  const db = openTables(url);
  const { rows } = await sql<{
    tomorrow: string | null;
  }>`select tomorrow from payouts where reference = ${reference}`.execute(db);
  await db.destroy();
  return rows[0]?.tomorrow;
}
