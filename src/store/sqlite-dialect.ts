import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import {
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type QueryResult,
  SqliteAdapter,
  type SqliteDatabase,
  SqliteDriver,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';
import { whenUnlocked } from './sqlite-lock.ts';

/** Kysely's SQLite dialect over `node:sqlite`, for a file that several processes write. */
export class NodeSqliteDialect implements Dialect {
  readonly #open: () => Promise<DatabaseSync>;

  constructor(open: () => Promise<DatabaseSync>) {
    this.#open = open;
  }

  createDriver(): SqliteDriver {
    return new SharedFileDriver({ database: async () => statementsOf(await this.#open()) });
  }

  createQueryCompiler(): SqliteQueryCompiler {
    return new SqliteQueryCompiler();
  }

  createAdapter(): SqliteAdapter {
    return new TransactionalSchemaAdapter();
  }

  createIntrospector(db: ConstructorParameters<typeof SqliteIntrospector>[0]): SqliteIntrospector {
    return new SqliteIntrospector(db);
  }
}

/** Lets the migrator run in one transaction, which begins with the write lock: two processes never migrate at once. */
class TransactionalSchemaAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}

class SharedFileDriver extends SqliteDriver {
  #connection: DatabaseConnection | undefined;

  override async acquireConnection(): Promise<DatabaseConnection> {
    this.#connection ??= new WaitingConnection(await super.acquireConnection());
    return this.#connection;
  }

  /** IMMEDIATE takes the write lock at once: a transaction that reads first and then writes fails when another wrote. */
  override async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('begin immediate'));
  }
}

/** Waits for another connection's write lock without blocking the event loop. */
class WaitingConnection implements DatabaseConnection {
  readonly #connection: DatabaseConnection;

  constructor(connection: DatabaseConnection) {
    this.#connection = connection;
  }

  executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    return whenUnlocked(() => this.#connection.executeQuery<R>(query));
  }

  streamQuery<R>(query: CompiledQuery, chunkSize: number): AsyncIterableIterator<QueryResult<R>> {
    return this.#connection.streamQuery<R>(query, chunkSize);
  }
}

/** `node:sqlite` in the shape kysely asks for; a statement with result columns is one that reads. */
function statementsOf(database: DatabaseSync): SqliteDatabase {
  return {
    close: () => database.close(),
    prepare(sql) {
      const statement = database.prepare(sql);
      const bound = (parameters: readonly unknown[]) => parameters as SQLInputValue[];
      return {
        reader: statement.columns().length > 0,
        all: (parameters) => statement.all(...bound(parameters)),
        run: (parameters) => statement.run(...bound(parameters)),
        iterate: (parameters) => statement.iterate(...bound(parameters)),
      };
    },
  };
}
