import { type Kysely, sql } from 'kysely';
import { expect, it } from 'vitest';
import { migrate } from '../../src/store/engine/migrate.ts';
import { openPostgresPool, storeProblemOf } from '../../src/store/engine/postgres.ts';
import { openStore } from '../../src/store/open.ts';
import { createDatabase, dropDatabase } from '../support/databases.ts';
import { openTables } from './later-build.ts';
import { BACKENDS } from './stores.ts';

it('says that the store does not answer, and nothing of its address', async () => {
  const opening = openStore('postgres://payouts:hunter2@127.0.0.1:1/payouts');
  await expect(opening).rejects.toMatchObject({
    kind: 'unreachable',
    code: 'store-unreachable',
    message: "The store's PostgreSQL cannot be used: nothing listens there (ECONNREFUSED).",
  });
  await expect(opening).rejects.not.toMatchObject({ message: expect.stringContaining('hunter2') });
});

it('says of a full disk that it is full', () => {
  const full = Object.assign(new Error('could not extend file'), { code: '53100' });
  expect(storeProblemOf(full)?.message).toBe(
    "The store's PostgreSQL cannot be used: it has no space left on its disk (53100).",
  );
});

const onPostgres = it.runIf(BACKENDS.length > 1);

onPostgres(
  'says that the store does not answer when it goes away while its tables are brought up to date',
  async () => {
    const admin = process.env.PAYOUTS_TEST_POSTGRES_URL ?? '';
    const name = `payouts_test_gone_${process.pid}_${Date.now()}`;
    const db = openTables(await createDatabase(admin, name));
    // It ends the connection that it runs on.
    const up = async (step: Kysely<unknown>) =>
      void (await sql`select pg_terminate_backend(pg_backend_pid())`.execute(step));
    const migrated = migrate(db, { kind: 'postgres' }, { steps: async () => ({ '0001-gone': { up } }) });
    await expect(migrated).rejects.toMatchObject({ kind: 'unreachable', code: 'store-unreachable' });
    await db.destroy();
    await dropDatabase(admin, name);
  },
);

onPostgres('outlives a connection that breaks between two statements of a transaction', async () => {
  const admin = process.env.PAYOUTS_TEST_POSTGRES_URL ?? '';
  const pool = openPostgresPool(admin);
  const [broken, other] = [await pool.connect(), await pool.connect()];
  try {
    await broken.query('begin', []);
    const { rows } = await broken.query<{ pid: number }>('select pg_backend_pid() as pid', []);
    await other.query(`select pg_terminate_backend(${rows[0]?.pid})`, []);
    const unreachable = { kind: 'unreachable', code: 'store-unreachable' };
    await expect(broken.query('select 1', [])).rejects.toMatchObject(unreachable);
  } finally {
    broken.release();
    other.release();
  }
  const next = await pool.connect();
  expect((await next.query<{ one: number }>('select 1 as one', [])).rows).toEqual([{ one: 1 }]);
  next.release();
  await pool.end();
});

onPostgres('a database of three connections is shared out among three processes, and nobody is refused', async () => {
  const admin = process.env.PAYOUTS_TEST_POSTGRES_URL ?? '';
  const name = `payouts_test_three_${process.pid}_${Date.now()}`;
  const server = openPostgresPool(admin);
  const client = await server.connect();
  await client.query(`create role ${name} login password 'of-tests' connection limit 3`, []);
  await client.query(`create database ${name} owner ${name}`, []);
  const url = new URL(admin);
  [url.username, url.password, url.pathname] = [name, 'of-tests', name];
  try {
    // One after the other, as the first makes the tables; each is a process of its own to PostgreSQL.
    const stores = [await openStore(url.href), await openStore(url.href), await openStore(url.href)];
    const asked = stores.flatMap((store) => Array.from({ length: 30 }, () => store.identity()));
    expect(await Promise.all(asked)).toHaveLength(90);
    const { rows } = await client.query<{ count: string }>(
      `select count(*) as count from pg_stat_activity where usename = '${name}'`,
      [],
    );
    expect(Number(rows[0]?.count)).toBeLessThanOrEqual(3);
    await Promise.all(stores.map((store) => store.close()));
  } finally {
    await client.query(`drop database if exists ${name} with (force)`, []);
    await client.query(`drop role ${name}`, []);
    client.release();
    await server.end();
  }
});
