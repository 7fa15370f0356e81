import { setImmediate } from 'node:timers/promises';
import { pagesOf } from '../../domain/iterate.ts';
import type { Database } from './database.ts';

// What is kept about the store as a whole, by key.

export async function metaValue(db: Database, key: string): Promise<string | undefined> {
  const row = await db.selectFrom('meta').select('value').where('key', '=', key).executeTakeFirst();
  return row?.value;
}

/** Writes it, whatever it was before. */
export async function setMeta(db: Database, key: string, value: string): Promise<void> {
  await db
    .insertInto('meta')
    .values({ key, value })
    .onConflict((conflict) => conflict.column('key').doUpdateSet({ value }))
    .execute();
}

/**
 * Bounds of the times that count as recent: not before `since`, and not as far ahead of `now`, which only a wrong clock writes
 * and which nothing may wait for.
 */
export const recent = (since: number, now: number): [from: number, to: number] => [since, 2 * now - since];

/** Rows in one statement: 24 columns of 1,000 rows stay under the parameter limits of SQLite (32,766) and PostgreSQL (65,535). */
export const ROWS_PER_STATEMENT = 1_000;

/** Rows processed, in some 20 ms, before other work of the process gets a turn. */
const ROWS_PER_TURN = 100;

/** Consecutive pieces; after each one, heartbeats and other work of this process get a turn. */
export async function* chunksInTurns<T>(items: Iterable<T>): AsyncGenerator<T[]> {
  for (const piece of chunks(items, ROWS_PER_TURN)) {
    yield piece;
    await setImmediate();
  }
}

/** Consecutive pieces of at most `size` items; the items are never all in memory. */
export function* chunks<T>(items: Iterable<T>, size = ROWS_PER_STATEMENT): Generator<T[]> {
  let piece: T[] = [];
  for (const item of items) {
    piece.push(item);
    if (piece.length < size) continue;
    yield piece;
    piece = [];
  }
  if (piece.length > 0) yield piece;
}

/** Concatenated results of `read` for consecutive pieces. */
export async function inChunks<T, Found>(items: Iterable<T>, read: (some: T[]) => Promise<Found[]>): Promise<Found[]> {
  const found: Found[] = [];
  for (const some of chunks(items)) found.push(...(await read(some)));
  return found;
}

/** Rows of a file, read page by page: `read` gives the ones behind `after`, in order, at most `ROWS_PER_STATEMENT`. */
export async function* pagedByRow<Row extends { row: number | null }>(
  read: (after: number) => Promise<Row[]>,
): AsyncGenerator<Row> {
  for await (const page of pagesOf<Row>(ROWS_PER_STATEMENT, (last) => read(last?.row ?? 0))) yield* page;
}
