import { setTimeout as pause } from 'node:timers/promises';
import { StoreBusyError } from '../store-errors.ts';

/** Result codes of SQLite, https://www.sqlite.org/rescode.html. */
export const SQLITE_BUSY = 5;
export const SQLITE_READONLY = 8;
export const SQLITE_CORRUPT = 11;
export const SQLITE_CANTOPEN = 14;
/** Other processes kept changing the WAL's locks, or one stopped while holding them: no read could begin. */
export const SQLITE_PROTOCOL = 15;
export const SQLITE_NOTADB = 26;
/** Extended code: the file was renamed or replaced after it was opened. */
export const SQLITE_READONLY_DBMOVED = 1032;

/** Whether SQLite failed with one of these codes; a primary code (low byte) covers its extended codes. */
export function isSqliteError(error: unknown, ...codes: readonly number[]): boolean {
  if (!(error instanceof Error) || !('errcode' in error)) return false;
  const code = Number(error.errcode);
  return codes.includes(code) || codes.includes(code & 0xff);
}

/** Whether it failed, without having done anything, because other processes use the file. */
export const isLocked = (error: unknown): boolean => isSqliteError(error, SQLITE_BUSY, SQLITE_PROTOCOL);

/** How long a statement waits for another connection's write. */
const LOCK_PATIENCE_MS = 30_000;
const PAUSE_MAX_MS = 25;

/**
 * Retries while another connection holds the lock. SQLite's own `busy_timeout` would block the event loop: heartbeats would stop,
 * and two stores of one process on one file would wait for each other for ever. Safe, as a statement that meets the lock has done
 * nothing.
 *
 * @throws StoreBusyError if it is held for too long
 */
export async function whenUnlocked<T>(attempt: () => T | Promise<T>, patienceMs = LOCK_PATIENCE_MS): Promise<T> {
  for (let waited = 0; ; ) {
    try {
      return await attempt();
    } catch (error) {
      if (!isLocked(error)) throw error;
      if (waited >= patienceMs) {
        const message = `Another process has been using the store alone for ${patienceMs / 1000} seconds.`;
        const hint = 'It may be suspended: let it go on, or end it. Nothing is lost: run the same command again.';
        throw new StoreBusyError('unreachable', 'store-busy', message, { hint, cause: error });
      }
    }
    const wait = 1 + Math.random() * Math.min(PAUSE_MAX_MS, waited);
    waited += wait;
    await pause(wait);
  }
}
