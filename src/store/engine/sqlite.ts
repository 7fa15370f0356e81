import { closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import {
  CompiledQuery,
  type DatabaseConnection,
  type Driver,
  type QueryResult,
  SelectQueryNode,
  SqliteAdapter,
  SqliteIntrospector,
} from 'kysely';
import { StoreFileError } from '../store-errors.ts';
import { type NamingDialect, SqliteNamingCompiler } from './column-dialect.ts';
import { GroupCommit, type Pace } from './groups.ts';
import {
  isSqliteError,
  SQLITE_CANTOPEN,
  SQLITE_NOTADB,
  SQLITE_READONLY,
  SQLITE_READONLY_DBMOVED,
  whenUnlocked,
} from './sqlite-lock.ts';

/** More than a payout uses; bounded because lists of every length make endlessly many texts. */
const KEPT = 400;

interface Kept {
  statement: StatementSync;
  /** It returns columns. */
  reads: boolean;
}

/** Statements of one database, each prepared once: preparing costs as much as running. */
class SqliteStatements {
  readonly #database: DatabaseSync;
  readonly #kept = new Map<string, Kept>();

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  run<Row>({ sql, parameters }: CompiledQuery): QueryResult<Row> {
    const { statement, reads } = this.#prepared(sql);
    const given = parameters as SQLInputValue[];
    if (reads) return { rows: statement.all(...given) as Row[] };
    const { changes, lastInsertRowid } = statement.run(...given);
    return { insertId: BigInt(lastInsertRowid), numAffectedRows: BigInt(changes), rows: [] };
  }

  #prepared(sql: string): Kept {
    const kept = this.#kept.get(sql) ?? this.#prepare(sql);
    // Move to the end: least recently used first.
    this.#kept.delete(sql);
    this.#kept.set(sql, kept);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > KEPT && oldest !== undefined) this.#kept.delete(oldest);
    return kept;
  }

  #prepare(sql: string): Kept {
    const statement = this.#database.prepare(sql);
    return { statement, reads: statement.columns().length > 0 };
  }
}

/**
 * Kysely's SQLite dialect over `node:sqlite`, for a file written by several processes.
 *
 * @param pace lets concurrent writers share a commit (`group-commit.ts`)
 */
export const nodeSqliteDialect = (open: () => Promise<DatabaseSync>, pace?: Pace): NamingDialect => ({
  writesNamesOnDisk: true,
  createDriver: () => new SharedFileDriver(open, pace),
  createQueryCompiler: () => new SqliteNamingCompiler(),
  createAdapter: () => new SharedFileAdapter(),
  createIntrospector: (db) => new SqliteIntrospector(db),
});

class SharedFileAdapter extends SqliteAdapter {
  /** Lets the migrator run in one transaction that begins with the write lock, so two processes never migrate at once. */
  override get supportsTransactionalDdl(): boolean {
    return true;
  }

  /** `GroupCommit` hands out the one connection, whose next user need not wait for the commit of the previous one. */
  override get supportsMultipleConnections(): boolean {
    return true;
  }
}

class SharedFileDriver implements Driver {
  readonly #open: () => Promise<DatabaseSync>;
  readonly #pace: Pace | undefined;
  #shared: Shared | undefined;

  constructor(open: () => Promise<DatabaseSync>, pace: Pace | undefined) {
    this.#open = open;
    this.#pace = pace;
  }

  async init(): Promise<void> {
    const database = await this.#open();
    const [statements, commits] = [new SqliteStatements(database), new GroupCommit(database, this.#pace)];
    this.#shared = { database, statements, commits };
  }

  async acquireConnection(): Promise<Turn> {
    if (this.#shared === undefined) throw new Error('the database is not open');
    return new Turn(this.#shared);
  }

  beginTransaction(turn: Turn): Promise<void> {
    return turn.begin();
  }

  commitTransaction(turn: Turn): Promise<void> {
    return turn.commit();
  }

  rollbackTransaction(turn: Turn): Promise<void> {
    return turn.rollback();
  }

  async releaseConnection(turn: Turn): Promise<void> {
    turn.end();
  }

  async destroy(): Promise<void> {
    await this.#shared?.commits.takeTurn();
    try {
      await this.#shared?.commits.flush();
    } finally {
      this.#shared?.database.close();
    }
  }
}

interface Shared {
  database: DatabaseSync;
  statements: SqliteStatements;
  commits: GroupCommit;
}

const SAVEPOINT = CompiledQuery.raw('savepoint own');
const UNDO = [CompiledQuery.raw('rollback to own'), CompiledQuery.raw('release own')] as const;
const RELEASE = CompiledQuery.raw('release own');

/** One use of the connection, for a statement or a transaction; waits without blocking the event loop. */
class Turn implements DatabaseConnection {
  readonly #statements: SqliteStatements;
  readonly #commits: GroupCommit;
  #isMine = false;
  /** Within a transaction: whether it is the first of its group. */
  #transaction: { isFirst: boolean } | undefined;

  constructor({ statements, commits }: Shared) {
    this.#statements = statements;
    this.#commits = commits;
  }

  async executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    if (this.#transaction !== undefined) return this.#inTransaction(query);
    const isRead = reads(query);
    await this.#take(isRead);
    if (this.#commits.gathers && !isRead) await this.#commits.join();
    const result = await this.#run<Row>(query);
    await this.#endDurably();
    return result;
  }

  /** A stream would keep the connection from others until its last row: what is long is read in pages. */
  streamQuery(): never {
    throw new Error('nothing is streamed from the store');
  }

  async begin(): Promise<void> {
    await this.#take(false);
    const isFirst = await this.#commits.join();
    this.#transaction = { isFirst };
    if (!isFirst) await this.#run(SAVEPOINT);
  }

  async commit(): Promise<void> {
    if (this.#transaction?.isFirst === false) await this.#inTransaction(RELEASE);
    else this.#assertOpen();
    this.#transaction = undefined;
    await this.#endDurably();
  }

  async rollback(): Promise<void> {
    const { isFirst } = this.#transaction ?? {};
    this.#transaction = undefined;
    if (isFirst === true) this.#commits.undo();
    else if (this.#commits.isOpen) for (const query of UNDO) await this.#run(query);
    this.end();
  }

  end(): void {
    if (!this.#isMine) return;
    this.#isMine = false;
    this.#commits.endTurn();
  }

  /** Gives the turn back, then waits for the shared commit. */
  async #endDurably(): Promise<void> {
    const { durable } = this.#commits;
    this.end();
    await durable;
  }

  async #take(isRead: boolean): Promise<void> {
    if (this.#isMine) return;
    await (isRead ? this.#commits.takeTurn() : this.#commits.takeTurnToWrite());
    this.#isMine = true;
  }

  #inTransaction<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    this.#assertOpen();
    return this.#run(query);
  }

  /** Otherwise each statement would be a transaction of its own. */
  #assertOpen(): void {
    if (!this.#commits.isOpen) throw new Error('the transaction was lost with the error before');
  }

  async #run<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    try {
      return await whenUnlocked(() => this.#statements.run<Row>(query));
    } catch (error) {
      this.#commits.notice(error);
      throw error;
    }
  }
}

/** Pragmas count as reads because they cannot run in a transaction. */
const reads = ({ query, sql }: CompiledQuery): boolean =>
  SelectQueryNode.is(query) || /^\s*(select|pragma|explain)\b/i.test(sql);

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
    // What is erased leaves the file, too.
    opened.exec('pragma secure_delete = on');
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
