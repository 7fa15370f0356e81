import { DatabaseSync } from 'node:sqlite';
import { onTestFinished } from 'vitest';
import { openDatabase } from '../../src/store/engine/database.ts';
import { migrate } from '../../src/store/engine/migrate.ts';
import { MEMORY, nodeSqliteDialect, openSqliteFile } from '../../src/store/engine/sqlite.ts';
import { createStore } from '../../src/store/open.ts';
import type { Store } from '../../src/store/store.ts';

let bytes: Promise<Uint8Array> | undefined;

/** The SQLite file of a store that nobody has opened yet: its tables are made once a process, which costs 25 ms of CPU. */
export function emptyStore(): Promise<Uint8Array> {
  bytes ??= madeAnew();
  return bytes;
}

async function madeAnew(): Promise<Uint8Array> {
  const database = await openSqliteFile(MEMORY);
  const db = openDatabase(nodeSqliteDialect(async () => database));
  await migrate(db, { kind: 'file', path: MEMORY });
  const made = database.serialize();
  await db.destroy();
  return made;
}

/** A store of its own in memory, for a test that is not about how one is opened: as `openStore('file::memory:')` opens it. */
export async function openEmptyStore(): Promise<Store> {
  const database = new DatabaseSync(MEMORY, { timeout: 0, enableForeignKeyConstraints: true });
  database.deserialize(await emptyStore());
  return createStore(openDatabase(nodeSqliteDialect(async () => database)));
}

/** Such a store that is closed when the test is over. */
export async function newStore(): Promise<Store> {
  const store = await openEmptyStore();
  onTestFinished(() => store.close());
  return store;
}
