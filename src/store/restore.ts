import { randomUUID } from 'node:crypto';
import { chmodSync, existsSync, linkSync, mkdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { sql } from 'kysely';
import { Client } from 'pg';
import { PostgresNamingDialect } from './engine/column-dialect.ts';
import { type Database, openDatabase } from './engine/database.ts';
import { migrateAndGrant, migrateIfNeeded } from './engine/migrate.ts';
import { mayMigrate, OWNER, openPostgresPool, WRITER } from './engine/postgres.ts';
import { isLocked, isSqliteError, SQLITE_CORRUPT, SQLITE_NOTADB } from './engine/sqlite-lock.ts';
import {
  asStoreFileError,
  copyStoreFile,
  factsOf,
  inspectStoreFile,
  recordedIdentity,
  type StoreFileFacts,
  sync,
} from './engine/store-file.ts';
import { openStore } from './open.ts';
import { recordRestore } from './past.ts';
import type { StoreIdentity } from './store-errors.ts';
import { StoreFileError } from './store-errors.ts';
import { assertSameIdentity } from './store-identity.ts';

export type RestoreStep = 'copied' | 'prepared' | 'kept' | 'replaced';

export interface RestoreOrder {
  /** The store's file; need not exist. */
  store: string;
  /** The copy to restore; only read. */
  file: string;
  /** Bank, accounts and Temporal of this process. */
  identity: Partial<StoreIdentity>;
  by: string;
  /** Epoch milliseconds. */
  now: number;
  /** Called once the copy is known to be good; throws to leave everything as it is. */
  confirm: (facts: StoreFileFacts) => Promise<void>;
  reached?: (step: RestoreStep) => void;
}

/**
 * Replaces the store by a copy and records that in it. At every moment the path names a whole store, the old one or the copy; the
 * old one is kept beside it. The caller holds the home's lock.
 *
 * @returns what the copy holds, and where the replaced store is kept; null if there was none
 * @throws StoreFileError, or StoreIdentityError if the copy or the store belongs to another bank or namespace
 */
export async function restoreStore(order: RestoreOrder): Promise<{ facts: StoreFileFacts; replaced: string | null }> {
  const { store, file, identity, by, now, reached } = order;
  assertOther(store, file);
  const facts = await inspectStoreFile(file);
  assertSameIdentity(facts.identity, identity);
  await order.confirm(facts);
  const fresh = `${store}.restoring`;
  const replaced = existsSync(store) ? `${store}.replaced-${new Date(now).toISOString().replaceAll(':', '-')}` : null;
  try {
    mkdirSync(dirname(store), { recursive: true, mode: 0o700 });
    // Left by a restore that was killed.
    removeDatabase(fresh);
    copyStoreFile(file, fresh);
    reached?.('copied');
    await prepare(fresh, { at: now, from: facts.lastChangeAt ?? 0, by, detail: detailOf(facts, replaced) });
    reached?.('prepared');
    await putInPlace(fresh, replaced, order);
    return { facts, replaced };
  } catch (error) {
    removeDatabase(fresh);
    throw asStoreFileError(error, store);
  }
}

/** Migrates the copy and records the restore in it, so that a copy that cannot take this replaces nothing. */
async function prepare(
  path: string,
  record: { at: number; from: number; by: string; detail: Record<string, string> },
): Promise<void> {
  const store = await openStore(`file:${path}`);
  try {
    await store.recordRestore(record);
  } finally {
    await store.close();
  }
  if (existsSync(`${path}-wal`)) throw new Error(`${path}-wal was not taken into ${path}`);
  sync(path);
}

/** Renames the files; the names are synced to disk on return. */
async function putInPlace(
  fresh: string,
  replaced: string | null,
  { store, identity, reached }: RestoreOrder,
): Promise<void> {
  const held = replaced === null ? undefined : await takeStore(store, identity);
  try {
    if (replaced !== null) keep(store, replaced);
    reached?.('kept');
    renameSync(fresh, store);
    reached?.('replaced');
  } finally {
    held?.close();
  }
  sync(dirname(store));
}

/**
 * Takes exclusive hold of the store, with all of it in its one file. A process that opens it meanwhile waits, and then finds that
 * its file was replaced (`openSqliteFile`). Undefined for a damaged store: it offers no lock and must not change.
 */
async function takeStore(path: string, given: Partial<StoreIdentity>): Promise<DatabaseSync | undefined> {
  try {
    const recorded = await recordedIdentity(path);
    if (recorded !== undefined) assertSameIdentity(recorded, given);
  } catch (error) {
    if (isSqliteError(error, SQLITE_NOTADB, SQLITE_CORRUPT)) return undefined;
    throw error;
  }
  const database = new DatabaseSync(path, { timeout: 0 });
  try {
    // Leaving WAL mode needs exclusive use of the file, and moves the WAL into it.
    database.exec('pragma journal_mode = delete');
    database.exec('begin exclusive');
    return database;
  } catch (error) {
    database.close();
    if (!isLocked(error)) throw error;
    throw new StoreFileError(
      'store-in-use',
      `another process has the store in ${path} open`,
      'First stop the workers, the gateway and all other commands that use it.',
      error,
    );
  }
}

/**
 * Links the replaced store under a second name, with its side files, which only a damaged store still has. They must be gone
 * before another file takes the store's name, or SQLite would apply them to that file.
 */
function keep(store: string, replaced: string): void {
  for (const suffix of ['', '-wal', '-journal']) {
    if (!existsSync(`${store}${suffix}`)) continue;
    linkSync(`${store}${suffix}`, `${replaced}${suffix}`);
    chmodSync(`${replaced}${suffix}`, 0o600);
  }
  sync(dirname(store));
  for (const suffix of ['-wal', '-journal', '-shm']) rmSync(`${store}${suffix}`, { force: true });
}

function assertOther(store: string, file: string): void {
  const [one, other] = [store, file].map((path) => statSync(path, { throwIfNoEntry: false }));
  if (one === undefined || other === undefined || one.ino !== other.ino || one.dev !== other.dev) return;
  throw new StoreFileError('store-itself', `${file} is the store itself`, 'Name a file that payouts backup wrote.');
}

function removeDatabase(path: string): void {
  for (const suffix of ['', '-wal', '-shm', '-journal']) rmSync(`${path}${suffix}`, { force: true });
}

/** Audit detail of a restore. */
function detailOf({ payouts, open, lastChangeAt }: StoreFileFacts, replaced: string | null): Record<string, string> {
  return {
    payouts: `${payouts}`,
    open: `${open}`,
    last_change: lastChangeAt === null ? 'none' : new Date(lastChangeAt).toISOString(),
    replaced: replaced === null ? 'none' : basename(replaced),
  };
}

/** `url`: the restored database, `postgres://user:password@host/database`. */
interface RestoredDatabase extends Pick<RestoreOrder, 'identity' | 'by' | 'now' | 'confirm'> {
  url: string;
}

/** Name of the database for people, without user and password. */
export function nameOfDatabase(url: string): string {
  const { host, port, database } = new Client({ connectionString: url });
  return `PostgreSQL database ${database} on ${host}:${port}`;
}

/**
 * Records in a database restored by PostgreSQL's own tools that this was done. Do this before anything else uses it: what others
 * sent after its last change may be missing.
 *
 * @returns what the database holds
 * @throws StoreFileError if another process is connected (an idle one is not) or it was never used with a bank,
 * StoreIdentityError if it belongs to another bank or namespace
 */
export async function recordRestoredDatabase({
  url,
  identity,
  by,
  now,
  confirm,
}: RestoredDatabase): Promise<StoreFileFacts> {
  await using db = openDatabase(new PostgresNamingDialect({ pool: openPostgresPool(url) }));
  await assertAlone(db);
  // What a database lets its roles do is not in a dump.
  if (await mayMigrate(db)) await migrateAndGrant(db);
  else await migrateIfNeeded(db, { kind: 'postgres' });
  const facts = await factsOf(db, 'PostgreSQL');
  assertSameIdentity(facts.identity, identity);
  await confirm(facts);
  const detail = detailOf(facts, null);
  await recordRestore(db, { at: now, from: facts.lastChangeAt ?? 0, by, detail });
  return facts;
}

/** Runs on the first connection of the pool, the only one of this process. */
async function assertAlone(db: Database): Promise<void> {
  const { rows } = await sql`select from pg_stat_activity where datname = current_database()
    and usename in (current_user, ${OWNER}, ${WRITER}) and pid <> pg_backend_pid()`.execute(db);
  if (rows.length === 0) return;
  throw new StoreFileError(
    'store-in-use',
    'another process is connected to the database',
    'First stop the workers, the gateway and all other commands that use it, then restore it again.',
  );
}

export type BackupStep = 'copied' | 'checked' | 'written';

interface BackupOrder {
  /** The store's file; other processes may be using it. */
  store: string;
  /** Target of the copy. It appears by rename: a file of this name is a good copy. */
  file: string;
  reached?: (step: BackupStep) => void;
}

/** @throws StoreFileError if there is no store, the file exists, or the copy is not good */
export async function backupStore({ store, file, reached = () => {} }: BackupOrder): Promise<StoreFileFacts> {
  assertFree(file);
  const fresh = `${file}.${randomUUID()}.partial`;
  try {
    copyStoreFile(store, fresh);
    reached('copied');
    const facts = await inspectStoreFile(fresh, store);
    reached('checked');
    assertFree(file);
    renameSync(fresh, file);
    sync(dirname(file));
    reached('written');
    return facts;
  } catch (error) {
    rmSync(fresh, { force: true });
    throw asStoreFileError(error, file);
  }
}

function assertFree(file: string): void {
  if (!existsSync(file)) return;
  throw new StoreFileError('file-exists', `${file} exists`, 'Name another file, or move that one away first.');
}
