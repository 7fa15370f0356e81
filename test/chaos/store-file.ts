import { existsSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';

/** What the product's store holds, read from its file beside the processes that write it. */
export interface StoredPayout {
  reference: string;
  workflow_id: string;
  state: string;
  order_id: string | null;
  ended_at: number | null;
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

export class StoreFile {
  readonly #file: string;

  constructor(file: string) {
    this.#file = file;
  }

  payouts(): StoredPayout[] {
    return this.#all('SELECT reference, workflow_id, state, order_id, ended_at FROM payouts', 'payouts');
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

  /** Nothing while the table is not there yet. */
  #all<T>(sql: string, table: string): T[] {
    if (!existsSync(this.#file)) return [];
    const db = new DatabaseSync(this.#file, { readOnly: true, timeout: 5_000 });
    try {
      if (db.prepare('SELECT 1 FROM sqlite_schema WHERE name = ?').get(table) === undefined) return [];
      return db.prepare(sql).all() as T[];
    } finally {
      db.close();
    }
  }
}
