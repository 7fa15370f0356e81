import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Kysely, sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { nodeSqliteDialect, openSqliteFile } from '../../../src/store/engine/sqlite.ts';

interface Counters {
  counters: { name: string; value: number };
}

describe('The SQLite dialect', () => {
  let folder: string;
  let first: Kysely<Counters>;
  let second: Kysely<Counters>;

  const connect = () =>
    new Kysely<Counters>({ dialect: nodeSqliteDialect(() => openSqliteFile(join(folder, 'store.sqlite'))) });

  const value = async (db: Kysely<Counters>) =>
    (await db.selectFrom('counters').select('value').where('name', '=', 'n').executeTakeFirstOrThrow()).value;

  const increment = (db: Kysely<Counters>) =>
    db.transaction().execute(async (transaction) => {
      const next = (await value(transaction)) + 1;
      await new Promise((resolve) => setImmediate(resolve));
      await transaction.updateTable('counters').set({ value: next }).where('name', '=', 'n').execute();
    });

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'payouts-dialect-'));
    [first, second] = [connect(), connect()];
    await sql`create table counters (name text primary key, value integer not null)`.execute(first);
    await first.insertInto('counters').values({ name: 'n', value: 0 }).execute();
  });

  afterEach(async () => {
    await Promise.all([first.destroy(), second.destroy()]);
    rmSync(folder, { recursive: true });
  });

  it('runs transactions of two connections one after the other, without an error', async () => {
    await Promise.all(Array.from({ length: 20 }, (_, index) => increment(index % 2 === 0 ? first : second)));
    expect(await value(first)).toBe(20);
  });

  it('lets a plain write wait for a transaction of another connection in the same process', async () => {
    await Promise.all([increment(first), second.insertInto('counters').values({ name: 'other', value: 1 }).execute()]);
    expect(await first.selectFrom('counters').selectAll().orderBy('name').execute()).toEqual([
      { name: 'n', value: 1 },
      { name: 'other', value: 1 },
    ]);
  });

  it('undoes a transaction that fails', async () => {
    const failed = first.transaction().execute(async (transaction) => {
      await transaction.updateTable('counters').set({ value: 99 }).execute();
      throw new Error('no');
    });
    await expect(failed).rejects.toThrow('no');
    expect(await value(second)).toBe(0);
  });

  it('counts changed rows', async () => {
    const { numUpdatedRows } = await first
      .updateTable('counters')
      .set({ value: 1 })
      .where('name', '=', 'none')
      .executeTakeFirstOrThrow();
    expect(numUpdatedRows).toBe(0n);
  });
});
