import { closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { whenUnlocked } from './sqlite-lock.ts';

export const MEMORY = ':memory:';

/** Opens the file, or creates it for this user only: it holds names and account numbers. */
export async function openSqliteFile(path: string): Promise<DatabaseSync> {
  if (path !== MEMORY) {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    // SQLite gives its -wal and -shm files the mode of the main file.
    closeSync(openSync(path, 'a', 0o600));
  }
  const database = new DatabaseSync(path, { timeout: 0, enableForeignKeyConstraints: true });
  try {
    await whenUnlocked(() => database.exec('pragma journal_mode = wal'));
    // With WAL, anything below FULL loses the last commits with the power, and with them the record of what was sent.
    await whenUnlocked(() => database.exec('pragma synchronous = full'));
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}
