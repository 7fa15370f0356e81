import { setTimeout } from 'node:timers/promises';
import { CARD_OPERATIONS } from './card-store.ts';
import { PostgresNamingDialect } from './engine/column-dialect.ts';
import { type Database, openDatabase, repository } from './engine/database.ts';
import { shareCommits } from './engine/groups.ts';
import { appliedSteps, migrateAndGrant, migrateIfNeeded } from './engine/migrate.ts';
import { openPostgresPool } from './engine/postgres.ts';
import { nodeSqliteDialect, openSqliteFile } from './engine/sqlite.ts';
import { type StoreLocation, storeLocation } from './engine/store-url.ts';
import * as repositories from './repositories.ts';
import type { Store } from './store.ts';
import { storeId } from './store-identity.ts';

/**
 * Opens the store and migrates its tables if its role may; several processes may open it at once.
 *
 * @param url as for `storeLocation`
 * @param connections the most connections to PostgreSQL
 * @throws Problem `store-url` for any other form, `store-not-migrated` if the tables are not those of this build and the role may
 * not make them
 */
export async function openStore(url: string, connections?: number): Promise<Store> {
  const place = storeLocation(url);
  const db = databaseAt(url, place, connections);
  try {
    await migrateIfNeeded(db, place);
    if (place.kind === 'postgres') shareCommits(db);
    return await createStore(db);
  } catch (error) {
    await db.destroy();
    throw error;
  }
}

/**
 * Makes or updates the tables of a store, and on PostgreSQL grants its roles what they need of them; nobody else need use it then
 * with the role that owns it.
 *
 * @returns the migrations applied to it, in order
 */
export async function migrateStore(url: string): Promise<string[]> {
  const place = storeLocation(url);
  await using db = databaseAt(url, place);
  if (place.kind === 'postgres') await migrateAndGrant(db);
  else await migrateIfNeeded(db, place);
  return await appliedSteps(db);
}

const databaseAt = (url: string, place: StoreLocation, connections?: number): Database =>
  openDatabase(
    place.kind === 'postgres'
      ? new PostgresNamingDialect({ pool: openPostgresPool(url, connections) })
      : nodeSqliteDialect(() => openSqliteFile(place.path), { gather: setImmediate, rest: setTimeout }),
  );

/** The store over an open, migrated database; `close` closes the database. */
export async function createStore(db: Database): Promise<Store> {
  return {
    ...repository(db, repositories),
    id: await storeId(db),
    cards: repository(db, CARD_OPERATIONS),
    close: () => db.destroy(),
  };
}
