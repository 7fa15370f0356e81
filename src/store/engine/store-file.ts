import { closeSync, fsyncSync, openSync, statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { sql } from 'kysely';
import { END_STATES } from '../../domain/payout-state.ts';
import { migrationNames } from '../migrations/all-migrations.ts';
import type { StoreIdentity } from '../store-errors.ts';
import { StoreFileError } from '../store-errors.ts';
import { identity } from '../store-identity.ts';
import { type Database, metaValue, openDatabase } from './database.ts';
import { appliedSteps, assertUsable, MIGRATION_TABLE, migrate } from './migrate.ts';
import { createPrivately, MEMORY, nodeSqliteDialect } from './sqlite.ts';
import { isSqliteError, SQLITE_CANTOPEN, SQLITE_CORRUPT, SQLITE_NOTADB } from './sqlite-lock.ts';

/**
 * Syncs a file, or the names in a folder, to disk. Never for a database that this process has open: closing the descriptor would
 * drop SQLite's locks.
 */
export function sync(path: string): void {
  const descriptor = openSync(path, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** Contents of a store's file, by which a person decides whether to trust it. */
export interface StoreFileFacts {
  identity: Partial<StoreIdentity>;
  payouts: number;
  /** Payouts without an end. */
  open: number;
  /** When a payout last changed, epoch ms; null without payouts. */
  lastChangeAt: number | null;
}

/** Another process's writer never blocks a reader; one that recovers the WAL does briefly. */
const BUSY_PATIENCE_MS = 30_000;

/**
 * Checks a file, open elsewhere or not: whole, a store of this product, not contracted by a later version, used with a bank.
 *
 * @param named name of the file in errors, if it differs from `path`
 * @throws StoreFileError, or a Problem as `assertUsable`, saying which check failed
 */
export async function inspectStoreFile(path: string, named = path): Promise<StoreFileFacts> {
  await using db = openDatabase(nodeSqliteDialect(async () => openToRead(path)));
  try {
    await assertWhole(db, named);
    await assertOurs(db, named);
    return await factsOf(db, named);
  } catch (error) {
    throw asStoreFileError(error, named);
  }
}

/** Identity of the store; undefined if it was never used. Changes nothing, neither in the file nor beside it. */
export async function recordedIdentity(path: string): Promise<Partial<StoreIdentity> | undefined> {
  await using db = openDatabase(nodeSqliteDialect(async () => openToRead(path)));
  return (await tablesOf(db)).has('meta') ? await identity(db) : undefined;
}

/** Id of the store; undefined if it was never opened. Changes nothing. */
export async function storeIdIn(path: string): Promise<string | undefined> {
  await using db = openDatabase(nodeSqliteDialect(async () => openToRead(path)));
  return (await tablesOf(db)).has('meta') ? await metaValue(db, 'store') : undefined;
}

/** Copies a store as of one moment into a new file, synced to disk on return. Others may write meanwhile. */
export function copyStoreFile(from: string, to: string): void {
  try {
    createPrivately(to);
    const database = openToRead(from);
    try {
      database.prepare('vacuum into ?').run(to);
    } finally {
      database.close();
    }
    sync(to);
  } catch (error) {
    throw asStoreFileError(error, from);
  }
}

function openToRead(path: string): DatabaseSync {
  if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true) {
    throw new StoreFileError('no-file', `there is no file ${path}`, 'Check the path.');
  }
  return new DatabaseSync(path, { readOnly: true, timeout: BUSY_PATIENCE_MS });
}

async function assertWhole(db: Database, path: string): Promise<void> {
  const { rows: findings } = await sql<{ integrityCheck: string }>`pragma integrity_check(1)`.execute(db);
  const { rows: orphans } = await sql`pragma foreign_key_check`.execute(db);
  if (findings[0]?.integrityCheck !== 'ok' || orphans.length > 0) throw damaged(path);
}

async function assertOurs(db: Database, path: string): Promise<void> {
  const tables = await tablesOf(db);
  if (!tables.has(MIGRATION_TABLE)) throw notAStore(path);
  const known = migrationNames();
  const applied = await appliedSteps(db);
  assertUsable(applied, known, path);
  const missing = (await tablesAfter(applied.findLast((name) => known.includes(name)))).difference(tables);
  if (missing.size > 0) throw damaged(path);
}

/** Tables of a store after this migration, found by running the migrations in memory. */
async function tablesAfter(migration: string | undefined): Promise<Set<string>> {
  await using db = openDatabase(nodeSqliteDialect(async () => new DatabaseSync(MEMORY)));
  if (migration !== undefined) await migrate(db, { kind: 'file', path: MEMORY }, { upTo: migration });
  return await tablesOf(db);
}

/** Without SQLite's own tables, which a copy has only if it needs them. */
async function tablesOf(db: Database): Promise<Set<string>> {
  const { rows } = await sql<{ name: string }>`select name from sqlite_master where type = 'table'`.execute(db);
  return new Set(rows.map(({ name }) => name).filter((name) => !name.startsWith('sqlite_')));
}

/** @throws StoreFileError for a store that was never used */
export async function factsOf(db: Database, path: string): Promise<StoreFileFacts> {
  const recorded = await identity(db);
  if (recorded.bank === undefined) {
    throw new StoreFileError(
      'unused-store',
      `the store in ${path} was never used with a bank`,
      'It contains nothing to keep. Check PAYOUTS_HOME, PAYOUTS_STORE_URL and the path.',
    );
  }
  const { paidAt, ...counts } = await db
    .selectFrom('payouts')
    .select(({ fn }) => [
      fn.countAll<number>().as('payouts'),
      fn.countAll<number>().filterWhere('state', 'not in', END_STATES).as('open'),
      fn.max<number | null>('updatedAt').as('paidAt'),
    ])
    .executeTakeFirstOrThrow();
  const { changedAt } = await db
    .selectFrom('cardPayments')
    .select(({ fn }) => fn.max<number | null>('updatedAt').as('changedAt'))
    .executeTakeFirstOrThrow();
  const changes = [paidAt, changedAt].filter((at) => at !== null);
  return { identity: recorded, ...counts, lastChangeAt: changes.length === 0 ? null : Math.max(...changes) };
}

/** What SQLite or the file system says about a file, as an error that names it; any other error stays as it is. */
export function asStoreFileError(error: unknown, path: string): unknown {
  if (isSqliteError(error, SQLITE_NOTADB)) return notAStore(path, error);
  if (isSqliteError(error, SQLITE_CORRUPT)) return damaged(path, error);
  if (error instanceof Error && ('syscall' in error || isSqliteError(error, SQLITE_CANTOPEN))) {
    return new StoreFileError(
      'file-system',
      `${path}: ${error.message}`,
      'Check the path, its folder and its permissions.',
      error,
    );
  }
  return error;
}

const notAStore = (path: string, cause?: unknown): StoreFileError =>
  new StoreFileError(
    'not-a-store',
    `${path} is not a store of this product`,
    'Name a file that payouts backup wrote.',
    cause,
  );

const damaged = (path: string, cause?: unknown): StoreFileError =>
  new StoreFileError(
    'store-damaged',
    `the store in ${path} is damaged`,
    'Use an older copy: payouts restore FILE.',
    cause,
  );
