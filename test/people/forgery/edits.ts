import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import { Client } from 'pg';
import type { Random } from '../../simulation/random.ts';

/** Somebody who writes to the store past the product: changes, copies and removes what any row of any table says. */

type Cell = string | number | boolean | null;

/** A database as its owner sees it. */
export interface Editor {
  /** Every table that has a row, with its columns. */
  tables(): Promise<{ table: string; columns: readonly string[] }[]>;
  /** A few rows of a table; `at` says where one is. */
  rows(table: string): Promise<({ at: Cell } & Record<string, Cell>)[]>;
  /** False if the database does not take it. */
  run(statement: string, values: readonly Cell[]): Promise<boolean>;
  /** How the database calls the place of a row. */
  place: 'rowid' | 'ctid';
}

export function sqliteEditor(database: DatabaseSync): Editor {
  const all = (statement: string): Record<string, Cell>[] =>
    database.prepare(statement).all() as unknown as Record<string, Cell>[];
  return {
    place: 'rowid',
    async tables() {
      const names = all(`select name from sqlite_master where type = 'table' and name not like 'sqlite%'`);
      return names.map(({ name }) => ({
        table: `${name}`,
        columns: all(`pragma table_info("${name}")`).map((column) => `${column.name}`),
      }));
    },
    rows: async (table) => all(`select rowid as at, * from "${table}" limit 20`) as Awaited<ReturnType<Editor['rows']>>,
    async run(statement, values) {
      try {
        return database.prepare(statement.replaceAll('$', '?')).run(...(values as SQLInputValue[])).changes > 0;
      } catch {
        return false;
      }
    },
  };
}

export async function postgresEditor(url: string): Promise<Editor & AsyncDisposable> {
  const client = new Client({ connectionString: url });
  await client.connect();
  return {
    place: 'ctid',
    async tables() {
      const { rows } = await client.query<{ table: string; columns: string[] }>(
        `select table_name as table, array_agg(column_name::text) as columns from information_schema.columns
          where table_schema = current_schema() group by table_name order by table_name`,
      );
      return rows;
    },
    rows: async (table) => (await client.query(`select ctid::text as at, * from "${table}" limit 20`)).rows,
    async run(statement, values) {
      try {
        return ((await client.query(statement, [...values])).rowCount ?? 0) > 0;
      } catch {
        return false;
      }
    },
    [Symbol.asyncDispose]: () => client.end(),
  };
}

/** What is written in place of what was there, besides what is elsewhere. */
export interface Pool {
  texts: readonly string[];
}

/** Edits one cell, or a whole row, of a table that has any. Returns what it did, for the message of a failure. */
export async function editOnce(editor: Editor, pool: Pool, random: Random): Promise<string> {
  const tables = await editor.tables();
  const { table, columns } = random.chance(0.7)
    ? random.pick(tables.filter((one) => OFTEN.has(one.table)))
    : random.pick(tables);
  const rows = await editor.rows(table);
  if (rows.length === 0) return `nothing in ${table}`;
  const row = random.pick(rows);
  const where = editor.place === 'ctid' ? 'ctid = $1::tid' : 'rowid = $1';
  if (random.chance(0.05)) {
    await editor.run(`delete from "${table}" where ${where}`, [row.at]);
    return `${table} removed`;
  }
  const revealing = columns.filter((name) => REVEALING.has(name));
  const column = random.pick(revealing.length > 0 && random.chance(0.7) ? revealing : columns);
  const value = edited(row[column] ?? null, random.pick(rows)[column] ?? null, pool, random);
  if (random.chance(0.1)) {
    const names = columns.map((name) => `"${name}"`).join(', ');
    const places = columns.map((_, index) => `$${index + 1}`).join(', ');
    const copied = columns.map((name) => (name === column ? value : (row[name] ?? null)));
    const isNew = await editor.run(`insert into "${table}" (${names}) values (${places})`, copied);
    return `${table} copied with ${column} = ${shown(value)}${isNew ? '' : ', in vain'}`;
  }
  const isSet = await editor.run(`update "${table}" set "${column}" = $2 where ${where}`, [row.at, value]);
  return `${table}.${column} = ${shown(value)}${isSet ? '' : ', in vain'}`;
}

/** Of these much depends. */
const OFTEN: ReadonlySet<string> = new Set(['payouts', 'send_attempts', 'signed_decisions']);

/** What orders are made of. */
const REVEALING: ReadonlySet<string> = new Set(['instruction', 'assessed', 'request', 'reference', 'digest']);

const shown = (value: Cell): string => `${value}`.slice(0, 300);

function edited(before: Cell, elsewhere: Cell, pool: Pool, random: Random): Cell {
  if (elsewhere !== before && random.chance(0.4)) return elsewhere;
  const json = parsedOf(before);
  if (json !== undefined) return JSON.stringify(withOneMember(json, parsedOf(elsewhere), pool, random));
  if (random.chance(0.1)) return null;
  if (typeof before === 'number' || /^\d{10,}$/.test(`${before}`)) {
    return Number(before) + random.pick([-1, 1, -86_400_000, 86_400_000, 1_000_000_000]);
  }
  return textIn(`${before ?? ''}`, pool, random);
}

function textIn(before: string, { texts }: Pool, random: Random): string {
  if (/^\d+(\.\d+)?$/.test(before) && random.chance(0.7)) return random.pick([`9${before}`, '1.00', '4012.00']);
  // One of its own kind, which every reader takes.
  const [kind] = before.split('-');
  const alike = texts.filter((text) => text !== before && text.split('-')[0] === kind);
  return random.pick(alike.length > 0 && random.chance(0.8) ? alike : texts);
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

function parsedOf(cell: Cell): Record<string, unknown> | undefined {
  if (typeof cell !== 'string' || !/^[{[]/.test(cell)) return undefined;
  try {
    return JSON.parse(cell);
  } catch {
    return undefined;
  }
}

/** The object with one member of it, however deep, changed, removed or added. */
function withOneMember(
  whole: Record<string, unknown>,
  other: Record<string, unknown> | undefined,
  pool: Pool,
  random: Random,
): Record<string, unknown> {
  const copy = structuredClone(whole);
  const holders = [copy, ...Object.values(copy).filter(isObject)];
  const all = holders.flatMap((of) => Object.keys(of).map((key) => [of, key] as const));
  const revealing = all.filter(([of, key]) => /^(ben-|acc-)|^\d+\.\d+$/.test(`${of[key]}`));
  const [holder, name] = random.pick(revealing.length > 0 && random.chance(0.6) ? revealing : all);
  const what = random.next();
  const value = holder[name];
  const theirs = holder === copy ? other?.[name] : undefined;
  if (what < 0.1) holder[random.pick(MEMBERS)] = textIn('', pool, random);
  else if (what < 0.2) delete holder[name];
  else if (theirs !== undefined && theirs !== value && random.chance(0.4)) holder[name] = theirs;
  else if (typeof value === 'number') holder[name] = value + random.pick([-1, 1, 1_000_000, -1_000_000_000]);
  else if (typeof value === 'boolean') holder[name] = !value;
  else if (isObject(value)) holder[name] = {};
  else holder[name] = random.chance(0.05) ? [value] : textIn(`${value ?? ''}`, pool, random);
  return copy;
}

/** Members that something may search for where nothing was. */
const MEMBERS = [
  ...['beneficiary_id', 'to_account_id', 'note', 'chargeType', 'fee_cap', 'priority', 'payingAccountId'],
  ...['max_slippage', 'max_rate', 'sell_currency', 'paying_account_id', 'mostSold'],
];
