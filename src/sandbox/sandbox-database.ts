import { chmodSync, existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { CARD_TABLES } from './acquirer/card.ts';

export type Parameters = Record<string, string | number | bigint | null>;

/**
 * The sandbox's database. Every INTEGER is returned as a bigint. Calls are synchronous, so no two handlers work on the books at
 * once.
 */
export class Database {
  readonly #sqlite: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();

  /**
   * Opens the file, or creates it and lets `fill` write its first contents, atomically (`:memory:` stores nothing). Throws if
   * another version of the sandbox created it.
   */
  constructor(file: string, fill: (db: Database) => void) {
    if (file !== ':memory:') mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    const isNew = file !== ':memory:' && !existsSync(file);
    this.#sqlite = new DatabaseSync(file, { readBigInts: true, timeout: 5_000 });
    // Before SQLite creates -wal and -shm, which get the file's mode.
    if (isNew) chmodSync(file, 0o600);
    // FULL: an answered order survives a power failure, as at a bank.
    this.#sqlite.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;');
    const version = Number(this.one<{ user_version: bigint }>('PRAGMA user_version')?.user_version ?? 0n);
    if (version === TABLES_VERSION) return;
    if (version > 0) {
      this.#sqlite.close();
      throw new Error(
        `${file} holds version ${version} of the sandbox's tables, not ${TABLES_VERSION}; use another file`,
      );
    }
    this.transaction(() => {
      this.#sqlite.exec(TABLES);
      this.#sqlite.exec(`PRAGMA user_version = ${TABLES_VERSION}`);
      fill(this);
    });
  }

  one<T>(sql: string, parameters: Parameters = {}): T | undefined {
    return this.#prepare(sql).get(parameters) as T | undefined;
  }

  all<T>(sql: string, parameters: Parameters = {}): T[] {
    return this.#prepare(sql).all(parameters) as T[];
  }

  /** The earliest `due_at` of a table: epoch milliseconds; undefined if nothing is due. */
  nextDueAt(table: string): number | undefined {
    const { at = null } = this.one<{ at: bigint | null }>(`SELECT MIN(due_at) AS at FROM ${table}`) ?? {};
    return at === null ? undefined : Number(at);
  }

  run(sql: string, parameters: Parameters = {}): { lastId: bigint } {
    return { lastId: BigInt(this.#prepare(sql).run(parameters).lastInsertRowid) };
  }

  /** Adds a row, whose members are columns of the table. */
  insert(table: string, row: Parameters): { lastId: bigint } {
    const columns = Object.keys(row);
    const values = columns.map((column) => `:${column}`);
    return this.run(`INSERT INTO ${table} (${columns.join(', ')}) VALUES (${values.join(', ')})`, row);
  }

  /** Changes the row with this key. */
  update(table: string, key: Parameters, values: Parameters): void {
    const pairs = (of: Parameters): string[] => Object.keys(of).map((column) => `${column} = :${column}`);
    this.run(`UPDATE ${table} SET ${pairs(values).join(', ')} WHERE ${pairs(key).join(' AND ')}`, {
      ...key,
      ...values,
    });
  }

  /** Commits all that `work` does, or nothing if it throws. Must not be nested. */
  transaction<T>(work: () => T): T {
    this.#sqlite.exec('BEGIN IMMEDIATE');
    try {
      const result = work();
      this.#sqlite.exec('COMMIT');
      return result;
    } catch (error) {
      if (this.#sqlite.isTransaction) this.#sqlite.exec('ROLLBACK');
      throw error;
    }
  }

  close(): void {
    this.#sqlite.close();
  }

  #prepare(sql: string): StatementSync {
    let statement = this.#statements.get(sql);
    if (statement === undefined) {
      statement = this.#sqlite.prepare(sql);
      this.#statements.set(sql, statement);
    }
    return statement;
  }
}

/** Amounts are minor units of the account's currency. */
const BANKING_TABLES = `
CREATE TABLE accounts (
  account_id TEXT PRIMARY KEY,
  uid TEXT NOT NULL,
  currency TEXT NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('customer', 'world', 'fees', 'exchange')),
  available INTEGER NOT NULL DEFAULT 0 CHECK (kind <> 'customer' OR available >= 0),
  frozen INTEGER NOT NULL DEFAULT 0 CHECK (frozen >= 0),
  blocked INTEGER NOT NULL DEFAULT 0,
  updated_at INTEGER NOT NULL
) STRICT;
CREATE INDEX accounts_of_user ON accounts (uid);

CREATE TABLE journal (
  entry_id INTEGER PRIMARY KEY,
  at INTEGER NOT NULL,
  kind TEXT NOT NULL,
  order_id TEXT
) STRICT;

CREATE TABLE postings (
  entry_id INTEGER NOT NULL REFERENCES journal,
  account_id TEXT NOT NULL REFERENCES accounts,
  part TEXT NOT NULL CHECK (part IN ('available', 'frozen')),
  amount INTEGER NOT NULL
) STRICT;
CREATE INDEX postings_of_entry ON postings (entry_id);

CREATE TABLE beneficiaries (
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  uid TEXT NOT NULL,
  currency TEXT NOT NULL,
  beneficiary_type TEXT NOT NULL,
  payment_type TEXT NOT NULL,
  items TEXT NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;
-- A page is read in index order: sorting all rows for each page would take seconds for a file of new payees.
CREATE INDEX beneficiaries_of_user ON beneficiaries (uid, created_at);

CREATE TABLE orders (
  seq INTEGER PRIMARY KEY,
  order_id TEXT NOT NULL UNIQUE,
  uid TEXT NOT NULL,
  reference TEXT NOT NULL,
  type TEXT NOT NULL,
  direct TEXT NOT NULL,
  status TEXT NOT NULL,
  payment_type TEXT NOT NULL,
  account_id TEXT NOT NULL REFERENCES accounts,
  currency TEXT NOT NULL,
  amount INTEGER NOT NULL,
  fee INTEGER NOT NULL,
  beneficiary_id TEXT,
  counter_account TEXT REFERENCES accounts,
  buy_currency TEXT,
  buy_amount INTEGER,
  rate TEXT,
  note TEXT,
  reason TEXT,
  remark TEXT,
  expired_at INTEGER,
  needs_audit INTEGER NOT NULL,
  outcome TEXT NOT NULL,
  money TEXT NOT NULL CHECK (money IN ('held', 'settled', 'released')),
  refund_of TEXT,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  due_at INTEGER
) STRICT;
-- Has all columns by which a page counts and skips: with 100,000 orders, reading the whole list takes 1,000 pages.
CREATE INDEX orders_of_user ON orders (uid, created_at, seq, currency, buy_currency);
CREATE INDEX orders_of_reference ON orders (reference);
CREATE INDEX orders_due ON orders (due_at) WHERE due_at IS NOT NULL;
`;

/**
 * `PRAGMA user_version` of a file with these tables. A change of them raises it: a sandbox opens no file of another version.
 */
const TABLES_VERSION = 4;

const TABLES = BANKING_TABLES + CARD_TABLES;
