import type { DatabaseSync } from 'node:sqlite';
import {
  CompiledQuery,
  type DatabaseConnection,
  type Driver,
  type QueryResult,
  SelectQueryNode,
  SqliteAdapter,
  SqliteIntrospector,
} from 'kysely';
import { type NamingDialect, SqliteNamingCompiler } from './column-names.ts';
import { GroupCommit, type Pace } from './group-commit.ts';
import { whenUnlocked } from './sqlite-lock.ts';
import { SqliteStatements } from './sqlite-statements.ts';

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
