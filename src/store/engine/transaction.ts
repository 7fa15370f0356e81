import type { Database } from './database.ts';
import { isNameRefused } from './postgres.ts';

const ATTEMPTS = 5;

/** SQLSTATE: serialization failure, deadlock, unique violation (another transaction committed the same key first). */
const RACES_LOST: ReadonlySet<unknown> = new Set(['40001', '40P01', '23505']);

/**
 * Runs `work` in one transaction, and again if PostgreSQL lets another transaction win, so that it reads what the winner wrote;
 * also if the tables changed under a prepared statement. On SQLite transactions run one after the other and are never repeated.
 */
export async function inTransaction<T>(db: Database, work: (transaction: Database) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await db.transaction().execute(work);
    } catch (error) {
      if (attempt === ATTEMPTS || !lostRace(error)) throw error;
    }
  }
}

export function lostRace(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (RACES_LOST.has(error.code) || isNameRefused(error));
}
