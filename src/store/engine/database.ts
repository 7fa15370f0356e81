import { setImmediate } from 'node:timers/promises';
import {
  type DeleteResult,
  type Expression,
  type InsertObject,
  Kysely,
  type SqlBool,
  sql,
  type UpdateResult,
} from 'kysely';
import { pagesOf } from '../../domain/iterate.ts';
import { JSON_COLUMNS, type Tables } from '../schema.ts';
import { type NamingDialect, StoreColumns } from './column-dialect.ts';

export type Database = Kysely<Tables>;

/** Does not touch the tables yet. */
export const openDatabase = (dialect: NamingDialect): Database =>
  new Kysely<Tables>({ dialect, plugins: [new StoreColumns(JSON_COLUMNS)] });

/**
 * A repository is a set of functions over a database, so that they also work on a transaction; `Repository` is what callers see.
 */
export type Repository<Functions> = {
  [Name in keyof Functions]: Functions[Name] extends (db: Database, ...given: infer Given) => infer Answer
    ? (...given: Given) => Answer
    : never;
};

type OverDatabase = Record<string, (db: Database, ...given: never[]) => unknown>;

export function repository<Functions extends OverDatabase>(db: Database, functions: Functions): Repository<Functions> {
  const bound = Object.entries(functions).map(([name, its]) => [name, its.bind(null, db)]);
  return Object.fromEntries(bound) as Repository<Functions>;
}

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

const codeOf = (error: unknown): unknown => (error instanceof Error && 'code' in error ? error.code : undefined);

/** Several errors share this code; only this one is about a plan. */
export const hasOtherShape = (error: unknown): boolean =>
  codeOf(error) === '0A000' && (error as Error).message.includes('cached plan');

/** Whether a statement was refused because of its name; without one it works, in a new transaction if it was in one. */
export const isNameRefused = (error: unknown): boolean =>
  hasOtherShape(error) || codeOf(error) === '26000' || codeOf(error) === '42P05';

export function lostRace(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (RACES_LOST.has(error.code) || isNameRefused(error));
}

// What is kept about the store as a whole, by key.

export async function metaValue(db: Database, key: string): Promise<string | undefined> {
  const row = await db.selectFrom('meta').select('value').where('key', '=', key).executeTakeFirst();
  return row?.value;
}

/** Writes it over any earlier value. */
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

type NewRow<Table extends keyof Tables> = InsertObject<Tables, Table>;

/**
 * Inserts those rows whose key is free, in one statement; returns how many. Every unique constraint of the table counts as its
 * key.
 */
export async function insertNew<Table extends keyof Tables>(
  db: Database,
  table: Table,
  rows: NewRow<Table> | readonly NewRow<Table>[],
): Promise<number> {
  const { numInsertedOrUpdatedRows = 0n } = await db
    .insertInto(table)
    .values(rows)
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirstOrThrow();
  return Number(numInsertedOrUpdatedRows);
}

/** Runs an update or a deletion; whether it met its row. */
export async function met(query: {
  executeTakeFirstOrThrow(): Promise<UpdateResult | DeleteResult>;
}): Promise<boolean> {
  const result = await query.executeTakeFirstOrThrow();
  return ('numUpdatedRows' in result ? result.numUpdatedRows : result.numDeletedRows) > 0n;
}

// Uses functions common to SQLite and PostgreSQL: `like` is case-sensitive in only one of them, and text sorts differently.

/** The first characters of a column, as many as the prefix has. */
export const beginning = (column: string, prefix: string): Expression<string> =>
  sql<string>`substr(${sql.ref(column)}, 1, ${sql.lit([...prefix].length)})`;

/** Whether a column contains the text, ignoring case. */
export const holding = (column: string, text = ''): Expression<SqlBool> =>
  sql<SqlBool>`lower(${sql.ref(column)}) like ${`%${text.toLowerCase().replace(/[\\%_]/g, '\\$&')}%`} escape '\\'`;
