import { subscribe } from 'node:diagnostics_channel';
import { openSync, writeSync } from 'node:fs';
import { createRequire } from 'node:module';
import { DatabaseSync, StatementSync } from 'node:sqlite';

// Loaded before a process that is measured: each call of the bank and each commit that it makes durable is a byte in a file.

const { BENCH_METER = '', BENCH_BANK = '' } = process.env;

function tally(what: string): () => void {
  const file = openSync(`${BENCH_METER}.${what}`, 'a');
  return () => writeSync(file, '.');
}

const call = tally('calls');
subscribe('undici:request:create', (message) => {
  if (String((message as { request: { origin: unknown } }).request.origin) === BENCH_BANK) call();
});

const commit = tally('commits');
countSqlite();
countPostgres();

/** A commit of SQLite is one that leaves no transaction open and has changed rows; a read never is one. */
function countSqlite(): void {
  const { prepare, exec } = DatabaseSync.prototype;
  const changes = new WeakMap<DatabaseSync, { total(): number; seen: number }>();
  const owners = new WeakMap<StatementSync, DatabaseSync>();
  const read = (database: DatabaseSync): void => {
    const known = changes.get(database);
    if (known === undefined || database.isTransaction) return;
    const total = known.total();
    if (total > known.seen) commit();
    known.seen = total;
  };
  DatabaseSync.prototype.prepare = function (this: DatabaseSync, ...given): StatementSync {
    const statement = prepare.apply(this, given);
    if (!/^\s*select\b/i.test(given[0])) owners.set(statement, this);
    if (!changes.has(this)) {
      const counter = prepare.call(this, 'select total_changes() as n');
      changes.set(this, { total: () => Number((counter.get() as { n: number }).n), seen: 0 });
    }
    return statement;
  };
  DatabaseSync.prototype.exec = function (this: DatabaseSync, ...given): void {
    exec.apply(this, given);
    read(this);
  };
  for (const name of ['run', 'all', 'get'] as const) {
    const original = StatementSync.prototype[name] as (...given: never[]) => unknown;
    // biome-ignore lint/suspicious/noExplicitAny: the same signature, whichever of the three it is
    (StatementSync.prototype as any)[name] = function (this: StatementSync, ...given: never[]): unknown {
      const answer = original.apply(this, given);
      const owner = owners.get(this);
      if (owner !== undefined) read(owner);
      return answer;
    };
  }
}

interface Written {
  rowCount: number | null;
}

/**
 * A commit of PostgreSQL is the end of a transaction, or of a statement outside one, that has written: rows, or the lock of one
 * that an upsert finds. One that finds nothing to write gets no transaction id, and its end waits for no disk.
 */
function countPostgres(): void {
  const { Client } = createRequire(import.meta.url)('pg') as { Client: { prototype: { query: unknown } } };
  const original = Client.prototype.query as (this: object, ...given: unknown[]) => unknown;
  const open = new WeakMap<object, { wrote: boolean }>();
  Client.prototype.query = function (this: object, ...given: unknown[]): unknown {
    const [first] = given;
    const text = (typeof first === 'string' ? first : ((first as { text?: string })?.text ?? '')).trim().toLowerCase();
    const [reported] = given.slice(-1);
    let end: ((result: Written) => void) | undefined;
    // A caller takes the result by a promise, or as pg's own pool does by a function.
    const called =
      typeof reported === 'function' &&
      ((error: unknown, result?: Written) => {
        if (result !== undefined) end?.(result);
        reported(error, result);
      });
    const answer = original.apply(this, called === false ? given : [...given.slice(0, -1), called]);
    if (/^(begin|start transaction)/.test(text)) open.set(this, { wrote: false });
    else if (/^(commit|rollback(?! to)|end)/.test(text)) {
      if (open.get(this)?.wrote === true && !text.startsWith('rollback')) commit();
      open.delete(this);
    } else if (/^(insert|update|delete)|\b(insert into|update "|delete from)/.test(text)) {
      const transaction = open.get(this);
      end = ({ rowCount }: Written): void => {
        // Of an unlogged table alone no commit waits for a disk.
        if (text.startsWith('insert into "call_budgets"')) return;
        if (rowCount === 0 && !text.includes('do update')) return;
        if (transaction === undefined) commit();
        else transaction.wrote = true;
      };
      if (called === false) (answer as Promise<Written>).then(end, () => undefined);
    }
    return answer;
  };
}
