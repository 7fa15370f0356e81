import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';

/** What the product's store holds, read beside the processes that write it. */
export interface StoredPayout {
  reference: string;
  workflow_id: string;
  state: string;
  order_id: string | null;
  ended_at: number | null;
  reason_code: string | null;
}

export interface StoredAttempt {
  reference: string;
  attempt: number;
  sent_at: number;
  outcome: string | null;
  order_id: string | null;
}

export interface StoredAudit {
  at: number;
  actor: string;
  action: string;
  subject: string;
  detail: string;
}

/** The rows of a query over one table; none while the table is not there yet. */
export type ReadRows = (sql: string, table: string) => unknown[];

export class StoredTables {
  readonly #read: ReadRows;

  constructor(read: ReadRows) {
    this.#read = read;
  }

  payouts(): StoredPayout[] {
    return this.#all('SELECT reference, workflow_id, state, order_id, ended_at, reason_code FROM payouts', 'payouts');
  }

  attempts(): StoredAttempt[] {
    return this.#all(
      'SELECT reference, attempt, sent_at, outcome, order_id FROM send_attempts ORDER BY sent_at',
      'send_attempts',
    );
  }

  audits(): StoredAudit[] {
    return this.#all('SELECT at, actor, action, subject, detail FROM audit_log ORDER BY seq', 'audit_log');
  }

  /** Orders noted as asked for by nobody. */
  unaskedOrders(): string[] {
    return this.#all<{ order_id: string }>('SELECT order_id FROM unasked_orders', 'unasked_orders').map(
      ({ order_id }) => order_id,
    );
  }

  /** Orders of incidents. */
  incidentOrders(): string[] {
    return this.#all<{ order_id: string | null }>('SELECT order_id FROM incidents', 'incidents').flatMap(
      ({ order_id }) => order_id ?? [],
    );
  }

  batches(): { batch_id: string }[] {
    return this.#all('SELECT batch_id FROM batches ORDER BY created_at', 'batches');
  }

  #all<T>(sql: string, table: string): T[] {
    return this.#read(sql, table) as T[];
  }
}

export const ofFile =
  (file: string): ReadRows =>
  (sql, table) => {
    if (!existsSync(file)) return [];
    const db = new DatabaseSync(file, { readOnly: true, timeout: 5_000 });
    try {
      if (db.prepare('SELECT 1 FROM sqlite_schema WHERE name = ?').get(table) === undefined) return [];
      return db.prepare(sql).all();
    } finally {
      db.close();
    }
  };

const ANSWER_MS = 15_000;

/** Over psql, which is there where PostgreSQL is: its readers want their rows at once. Throws while the database is down. */
export const ofDatabase =
  (psql: string, url: string): ReadRows =>
  (sql, table) => {
    const ask = (statement: string): string =>
      execFileSync(psql, [url, '--no-psqlrc', '--tuples-only', '--no-align', '--command', statement], {
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'ignore'],
        maxBuffer: 1 << 28,
        // A server that is being killed takes a connection and says nothing.
        timeout: ANSWER_MS,
      });
    if (ask(`SELECT to_regclass('${table}') IS NULL`).trim() === 't') return [];
    return JSON.parse(ask(`SELECT coalesce(json_agg(found), '[]') FROM (${sql}) AS found`)) as unknown[];
  };
