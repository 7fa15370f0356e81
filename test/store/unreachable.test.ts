import { expect, it } from 'vitest';
import { StoreUnreachableError } from '../../src/store/errors.ts';
import { openStore } from '../../src/store/open.ts';
import { openPostgresPool } from '../../src/store/postgres-pool.ts';
import { BACKENDS } from './stores.ts';

it('says that the store does not answer, and nothing of its address', async () => {
  const opening = openStore('postgres://payouts:hunter2@127.0.0.1:1/payouts');
  await expect(opening).rejects.toMatchObject({
    kind: 'unreachable',
    code: 'store-unreachable',
    message: 'The store does not answer (ECONNREFUSED).',
  });
  await expect(opening).rejects.not.toMatchObject({ message: expect.stringContaining('hunter2') });
});

it('says of a full disk that it is full', () => {
  expect(new StoreUnreachableError('53100', undefined).message).toBe(
    'The store has no space left on its disk (53100).',
  );
});

it.runIf(BACKENDS.length > 1)('outlives a connection that breaks between two statements of a transaction', async () => {
  const admin = process.env.PAYOUTS_TEST_POSTGRES_URL ?? '';
  const pool = openPostgresPool(admin);
  const [broken, other] = [await pool.connect(), await pool.connect()];
  try {
    await broken.query('begin', []);
    const { rows } = await broken.query<{ pid: number }>('select pg_backend_pid() as pid', []);
    await other.query(`select pg_terminate_backend(${rows[0]?.pid})`, []);
    await expect(broken.query('select 1', [])).rejects.toBeInstanceOf(StoreUnreachableError);
  } finally {
    broken.release();
    other.release();
  }
  const next = await pool.connect();
  expect((await next.query<{ one: number }>('select 1 as one', [])).rows).toEqual([{ one: 1 }]);
  next.release();
  await pool.end();
});
