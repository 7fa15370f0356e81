import { setTimeout } from 'node:timers/promises';
import { PostgresNamingDialect } from './column-names.ts';
import { openDatabase } from './database.ts';
import { createStore } from './kysely-store.ts';
import { migrate } from './migrate.ts';
import { openPostgresPool } from './postgres-pool.ts';
import { nodeSqliteDialect } from './sqlite-dialect.ts';
import { openSqliteFile } from './sqlite-file.ts';
import type { Store } from './store.ts';
import { storeLocation } from './store-url.ts';
import { shareCommits } from './write-groups.ts';

/**
 * Opens the store and migrates its tables; several processes may open it at once.
 *
 * @param url as for `storeLocation`
 * @throws Problem `store-url` for any other form
 */
export async function openStore(url: string): Promise<Store> {
  const place = storeLocation(url);
  const db = openDatabase(
    place.kind === 'postgres'
      ? new PostgresNamingDialect({ pool: openPostgresPool(url) })
      : nodeSqliteDialect(() => openSqliteFile(place.path), { gather: setImmediate, rest: setTimeout }),
  );
  try {
    await migrate(db, place);
    if (place.kind === 'postgres') shareCommits(db);
    return await createStore(db);
  } catch (error) {
    await db.destroy();
    throw error;
  }
}
