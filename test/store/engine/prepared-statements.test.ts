import { type Kysely, sql } from 'kysely';
import { describe, expect, it, onTestFinished } from 'vitest';
import { PostgresNamingDialect } from '../../../src/store/engine/column-dialect.ts';
import { type Database, inTransaction, isNameRefused, openDatabase } from '../../../src/store/engine/database.ts';
import { openPostgresPool, PreparedStatements } from '../../../src/store/engine/postgres.ts';
import { createDatabase, dropDatabase } from '../../support/databases.ts';
import { BACKENDS } from '../stores.ts';

const refusal = (code: string, message: string): Error => Object.assign(new Error(message), { code });
const OTHER_SHAPE = refusal('0A000', 'cached plan must not change result type');

describe('prepared statements', () => {
  it('have a name each, the same at the next time; what has no value has none', () => {
    const statements = new PreparedStatements();
    const [a, b, again] = ['select $1', 'select 1 + $1', 'select $1'].map((text) =>
      statements.named({ text, values: [1] }),
    );
    expect([a?.name === again?.name, a?.name === b?.name, a?.name]).toEqual([true, false, expect.any(String)]);
    expect(statements.named({ text: 'begin', values: [] }).name).toBeUndefined();
  });

  it('are no more than a connection should keep', () => {
    const statements = new PreparedStatements();
    const names = Array.from(
      { length: 400 },
      (_, n) => statements.named({ text: `select $1, ${n}`, values: [n] }).name,
    );
    expect(names.filter((name) => name !== undefined)).toHaveLength(300);
    const long = { text: 'select 1 in (...)', values: Array.from({ length: 1_000 }) };
    expect(new PreparedStatements().named(long).name).toBeUndefined();
  });

  it('have other names once the tables have changed, and none behind a pooler that does not know them', () => {
    const statements = new PreparedStatements();
    const name = () => statements.named({ text: 'select $1', values: [1] }).name;
    const first = name();
    statements.refused(OTHER_SHAPE);
    expect([name(), name() === first]).toEqual([expect.any(String), false]);
    statements.refused(refusal('26000', 'prepared statement "payouts-2" does not exist'));
    expect(name()).toBeUndefined();
  });

  it('are not to blame for what else a server cannot do', () => {
    expect(isNameRefused(OTHER_SHAPE)).toBe(true);
    expect(isNameRefused(refusal('42P05', 'prepared statement "payouts-1" already exists'))).toBe(true);
    expect(isNameRefused(refusal('0A000', 'cross-database references are not implemented'))).toBe(false);
    expect(isNameRefused(new Error('cached plan must not change result type'))).toBe(false);
  });
});

describe.runIf(BACKENDS.length > 1)('on PostgreSQL', () => {
  const admin = process.env.PAYOUTS_TEST_POSTGRES_URL ?? '';

  async function openNotes(): Promise<{ db: Database; selectAll(in_: Database): Promise<object[]> }> {
    const name = `payouts_prepared_${process.pid}_${Date.now()}`;
    const db = openDatabase(new PostgresNamingDialect({ pool: openPostgresPool(await createDatabase(admin, name)) }));
    onTestFinished(async () => {
      await db.destroy();
      await dropDatabase(admin, name);
    });
    await sql`create table notes (id integer primary key)`.execute(db);
    await sql`insert into notes values (1)`.execute(db);
    return { db, selectAll: async (in_) => (await sql<object>`select * from notes where id = ${1}`.execute(in_)).rows };
  }

  const widen = (db: Kysely<never> | Database): Promise<unknown> =>
    sql`alter table notes add column more text`.execute(db as Database);

  it('a column that another build adds is read by the next statement, in a transaction too', async () => {
    const { db, selectAll } = await openNotes();
    expect(await selectAll(db)).toEqual([{ id: 1 }]);
    await widen(db);
    for (const _ of [1, 2]) expect(await selectAll(db)).toEqual([{ id: 1, more: null }]);
    await sql`alter table notes add column most text`.execute(db);
    let begun = 0;
    const read = await inTransaction(db, (transaction) => {
      begun += 1;
      return selectAll(transaction);
    });
    expect([read, begun]).toEqual([[{ id: 1, more: null, most: null }], 2]);
  });

  it('a name that a pooler has lost is done without', async () => {
    const { db, selectAll } = await openNotes();
    expect(await selectAll(db)).toEqual([{ id: 1 }]);
    await sql`deallocate all`.execute(db);
    expect(await selectAll(db)).toEqual([{ id: 1 }]);
    const { rows } = await sql<{ n: number }>`select count(*) as n from pg_prepared_statements`.execute(db);
    expect(rows).toEqual([{ n: 0 }]);
  });
});
