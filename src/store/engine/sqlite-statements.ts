import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import type { CompiledQuery, QueryResult } from 'kysely';

/** More than a payout uses; bounded because lists of every length make endlessly many texts. */
const KEPT = 400;

interface Kept {
  statement: StatementSync;
  /** It returns columns. */
  reads: boolean;
}

/** Statements of one database, each prepared once: preparing costs as much as running. */
export class SqliteStatements {
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
