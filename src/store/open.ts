import { fileURLToPath } from 'node:url';
import { type Dialect, Kysely, PostgresDialect } from 'kysely';
import { Migrator } from 'kysely/migration';
import { StoreUrlError } from './errors.ts';
import { createStore } from './kysely-store.ts';
import { migrations } from './migrations/all-migrations.ts';
import type { ColumnTypes } from './migrations/column-types.ts';
import { openPostgresPool } from './postgres-pool.ts';
import type { Database, Tables } from './schema.ts';
import { NodeSqliteDialect } from './sqlite-dialect.ts';
import { openSqliteFile } from './sqlite-file.ts';
import type { Store } from './store.ts';

/**
 * Opens the store and brings its tables up to date; several processes may open the same one at once.
 *
 * @param url `file:/abs/path.sqlite`, `file:relative/path.sqlite`, `file::memory:` or `postgres://user:password@host/database`
 * @throws StoreUrlError for any other form
 */
export async function openStore(url: string): Promise<Store> {
  const db = new Kysely<Tables>({ dialect: dialectOf(url) });
  try {
    await migrate(db, { serial: isPostgres(url) ? 'bigserial' : 'integer' });
    return await createStore(db);
  } catch (error) {
    await db.destroy();
    throw error;
  }
}

function isPostgres(url: string): boolean {
  return url.startsWith('postgres://') || url.startsWith('postgresql://');
}

function dialectOf(url: string): Dialect {
  if (isPostgres(url)) return new PostgresDialect({ pool: openPostgresPool(url) });
  const path = url.startsWith('file://') ? fileURLToPath(url) : url.slice('file:'.length);
  if (!url.startsWith('file:') || path === '') throw new StoreUrlError();
  return new NodeSqliteDialect(() => openSqliteFile(path));
}

async function migrate(db: Database, types: ColumnTypes): Promise<void> {
  const migrator = new Migrator({
    db,
    provider: { getMigrations: async () => migrations(types) },
    migrationTableName: 'payouts_migration',
    migrationLockTableName: 'payouts_migration_lock',
  });
  const { error } = await migrator.migrateToLatest();
  if (error !== undefined) throw error;
}
