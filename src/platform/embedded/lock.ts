import { chmodSync, existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/**
 * The lock of a home. Written here because packages such as proper-lockfile renew a file by a timer: a killed process leaves it
 * behind, and one that is suspended for too long loses it to another.
 */

export interface HomeLock {
  release(): void;
}

const SQLITE_BUSY = 5;

/** Keeps the databases referenced: garbage collection would close one and so release its lock. */
const held = new Set<DatabaseSync>();

/**
 * Locks the home for this process; undefined if another holds it. The lock is an exclusive SQLite transaction, which the
 * operating system drops with the process, so it is never stale. The home must be on a local disk: over NFS such locks are
 * unreliable.
 */
export function lockHome(home: string): HomeLock | undefined {
  mkdirSync(home, { recursive: true, mode: 0o700 });
  const file = join(home, 'stack.lock.sqlite');
  const isNew = !existsSync(file);
  const database = new DatabaseSync(file, { timeout: 0 });
  try {
    if (isNew) chmodSync(file, 0o600);
    database.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    database.close();
    if ((error as { errcode?: number }).errcode === SQLITE_BUSY) return undefined;
    throw error;
  }
  held.add(database);
  return {
    release: () => {
      held.delete(database);
      database.close();
    },
  };
}
