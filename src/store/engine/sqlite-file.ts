import { closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { StoreFileError } from '../errors.ts';
import {
  isSqliteError,
  SQLITE_CANTOPEN,
  SQLITE_NOTADB,
  SQLITE_READONLY,
  SQLITE_READONLY_DBMOVED,
} from './sqlite-error.ts';
import { whenUnlocked } from './sqlite-lock.ts';

export const MEMORY = ':memory:';

/**
 * Opens the file, or creates it readable only by this user: it holds names and account numbers.
 *
 * @throws StoreFileError for a path that cannot be a database
 */
export async function openSqliteFile(path: string): Promise<DatabaseSync> {
  if (path !== MEMORY) {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    createPrivately(path);
  }
  let database: DatabaseSync | undefined;
  try {
    const opened = new DatabaseSync(path, { timeout: 0, enableForeignKeyConstraints: true });
    database = opened;
    await whenUnlocked(() => opened.exec('pragma journal_mode = wal'));
    // In WAL mode anything below FULL loses the last commits on power loss, and with them the record of what was sent.
    await whenUnlocked(() => opened.exec('pragma synchronous = full'));
    return opened;
  } catch (error) {
    database?.close();
    // A restore replaced the file while this process waited for the lock.
    if (isSqliteError(error, SQLITE_READONLY_DBMOVED)) return openSqliteFile(path);
    throw asUnusable(error, path);
  }
}

function asUnusable(error: unknown, path: string): unknown {
  const hint = 'Check PAYOUTS_STORE_URL and PAYOUTS_HOME: the path, its folder and their permissions.';
  if (isSqliteError(error, SQLITE_NOTADB)) {
    return new StoreFileError('not-a-store', `${path} is not a SQLite database`, hint, error);
  }
  if (isSqliteError(error, SQLITE_CANTOPEN, SQLITE_READONLY)) {
    return new StoreFileError('file-system', `the store ${path} cannot be opened and written`, hint, error);
  }
  return error;
}

/**
 * Creates an empty file with mode 0600 unless it exists; SQLite gives its -wal and -shm files the mode of the main file. Never
 * open an existing one here: closing any descriptor of a file drops all POSIX locks that the process holds on it, those of its
 * open SQLite connections included (https://www.sqlite.org/howtocorrupt.html, section 2.2). The next process that leaves the file
 * then takes itself for the last one and removes the WAL under those connections.
 */
export function createPrivately(path: string): void {
  try {
    closeSync(openSync(path, 'wx', 0o600));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}
