import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import { Client } from 'pg';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openDatabase } from '../../src/store/engine/database.ts';
import { migrate } from '../../src/store/engine/migrate.ts';
import { nodeSqliteDialect, openSqliteFile } from '../../src/store/engine/sqlite.ts';
import { createStore, openStore } from '../../src/store/open.ts';
import { oneLife } from './one-life.ts';

/** Tables that have more rows the more was paid. */
const GROWING = [
  ...['payouts', 'send_attempts', 'payees', 'payee_payments', 'payee_checks', 'decisions', 'signed_decisions'],
  ...['plan_rows', 'audit_log', 'outbox', 'incidents', 'returns', 'booked_exchanges', 'unasked_orders', 'batches'],
];

/** Indexes of what is open alone: as long as the work at hand. */
const OF_OPEN_WORK =
  /INDEX (payouts_(open|unended|waiting|lane|duplicates|release_order)|send_attempts_unknown|incidents_(open|second_orders))\b/;

/** Reads a table whole, or all that one user, batch or state has in it. */
const isLong = (step: string): boolean =>
  GROWING.some((table) => step.startsWith(`SCAN ${table}`) || step.startsWith(`SEARCH ${table}`)) &&
  (step.startsWith('SCAN') ||
    / INDEX (?!sqlite_autoindex_batches)\w+ \((uid|batch_id|state|currency)=\?\)$/.test(step)) &&
  !OF_OPEN_WORK.test(step);

interface Asked {
  sql: string;
  parameters: readonly unknown[];
}

describe('what is asked for a payout reads no growing table at length', () => {
  it('on SQLite', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'payouts-plans-'));
    const database = await openSqliteFile(join(folder, 'store.sqlite'));
    const asked: Asked[] = [];
    const db = openDatabase(nodeSqliteDialect(async () => noting(database, asked)));
    onTestFinished(async () => {
      await db.destroy();
      rmSync(folder, { recursive: true });
    });
    await migrate(db, { kind: 'file', path: ':memory:' });
    const store = await createStore(db);
    asked.length = 0;
    await oneLife(store);
    const scans = () =>
      asked.flatMap(({ sql }) =>
        planOf(database, sql)
          .filter(isLong)
          .map((step) => `${step}: ${sql}`),
      );
    expect(scans()).toEqual([]);
    expect(asked.length).toBeGreaterThan(30);
    // What is known to read all of them is seen.
    await store.payoutsWithPrefix('po', 1);
    expect(scans()).toHaveLength(1);
  });

  it.runIf(process.env.PAYOUTS_TEST_POSTGRES_URL)('on PostgreSQL', async () => {
    const url = new URL(process.env.PAYOUTS_TEST_POSTGRES_URL ?? '');
    const name = `payouts_plans_${process.pid}_${Date.now()}`;
    const admin = new Client({ connectionString: url.href });
    await admin.connect();
    await admin.query(`create database ${name}`);
    url.pathname = name;
    const store = await openStore(url.href);
    const explaining = new Client({ connectionString: url.href });
    await explaining.connect();
    onTestFinished(async () => {
      await store.close();
      await explaining.end();
      await admin.query(`drop database ${name}`);
      await admin.end();
    });
    const asked = await askedOfPostgres(async () => {
      await oneLife(store);
      await store.payoutsWithPrefix('po', 1);
    });
    // Without rows the planner reads every table whole, unless that is the last thing it may do.
    await explaining.query('set enable_seqscan = off');
    const scans: string[] = [];
    // The last two read all of them: the beginning of an id, and what shows that a whole read is seen.
    for (const { sql, parameters } of [...asked, { sql: 'select * from payouts', parameters: [] }]) {
      const { rows } = await explaining.query<{ 'QUERY PLAN': string }>(`explain ${sql}`, [...parameters]);
      const steps = rows.map((row) => row['QUERY PLAN'].trim());
      const whole = steps.filter((step) => GROWING.some((table) => step.includes(`Seq Scan on ${table} `)));
      scans.push(...whole.map((step) => `${step}: ${sql}`));
    }
    // Which of its indexes the planner takes for the beginning of an id depends on when the server last counted the rows.
    expect(scans.filter((scan) => !scan.includes('substr('))).toEqual([expect.stringMatching(/Seq Scan on payouts /)]);
    expect(asked.length).toBeGreaterThan(30);
  });
});

/** The same database, noting what is prepared; each text comes once. */
function noting(database: DatabaseSync, asked: Asked[]): DatabaseSync {
  const prepare = database.prepare.bind(database);
  database.prepare = (sql, ...more) => {
    asked.push({ sql, parameters: [] });
    return prepare(sql, ...more);
  };
  return database;
}

function planOf(database: DatabaseSync, sql: string): string[] {
  if (!/^\s*(select|insert|update|delete)/i.test(sql)) return [];
  const steps = database.prepare(`explain query plan ${sql}`).all(...([] as SQLInputValue[]));
  return steps.map(({ detail }) => String(detail));
}

/** Statements that a client of PostgreSQL sends meanwhile. */
async function askedOfPostgres(work: () => Promise<void>): Promise<Asked[]> {
  const asked: Asked[] = [];
  const original = Client.prototype.query as (...given: unknown[]) => unknown;
  Client.prototype.query = function (this: Client, ...given: unknown[]): never {
    const [first, second] = given;
    const query =
      typeof first === 'string' ? { text: first, values: second } : (first as { text: string; values?: unknown });
    const { text, values } = query;
    if (/^(select|insert|update|delete)/i.test(text)) {
      asked.push({ sql: text, parameters: Array.isArray(values) ? values : [] });
    }
    return original.apply(this, given) as never;
  } as never;
  try {
    await work();
  } finally {
    Client.prototype.query = original as never;
  }
  return asked;
}
