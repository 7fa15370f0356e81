import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openStore } from '../../src/store/open.ts';
import type { ClaimOutcome } from '../../src/store/store.ts';
import { batchClaim } from './samples.ts';
import { BACKENDS, onEveryStore } from './stores.ts';

if (BACKENDS.length === 1) console.info('store tests: SQLite only; PAYOUTS_TEST_POSTGRES_URL adds PostgreSQL');

onEveryStore('openStore', (test) => {
  it('makes the tables once when many open an empty store at the same time', async () => {
    const stores = await Promise.all(Array.from({ length: 6 }, () => test.open()));
    await stores[0]?.claimBatch(batchClaim('b1', ['a']));
    for (const store of stores) expect((await store.batches(10)).map(({ batchId }) => batchId)).toEqual(['b1']);
  });

  it('finds what an earlier process wrote', async () => {
    const first = await test.open();
    await first.claimBatch(batchClaim('b1', ['a']));
    expect(await (await test.open()).batch('b1')).toBeDefined();
  });

  it('is one store for two processes, of which exactly one claims the same rows', async () => {
    const children = ['b1', 'b2'].map((batchId) =>
      fork(join(import.meta.dirname, 'fixtures/claim-on-message.ts'), [test.url(), batchId]),
    );
    const ids = await Promise.all(children.map(nextMessage));
    const answers = children.map(nextMessage);
    for (const child of children) child.send('claim');
    const outcomes = (await Promise.all(answers)) as ClaimOutcome[];
    expect(outcomes.filter(({ claimed }) => claimed)).toHaveLength(1);
    expect(outcomes.flatMap((outcome) => (outcome.claimed ? [] : outcome.known))).toHaveLength(500);
    const store = await test.open();
    expect(ids).toEqual([store.id, store.id]);
    expect((await store.batches(10)).map(({ total }) => total)).toEqual([500]);
  });
});

/** The child's next message; an error when it ends without one. */
async function nextMessage(child: ChildProcess): Promise<unknown> {
  const [message] = await Promise.race([
    once(child, 'message'),
    once(child, 'exit').then(([code]) => Promise.reject(new Error(`the process ended with ${code}`))),
  ]);
  return message;
}

describe('openStore on a file', () => {
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'payouts-open-'));
  });

  afterEach(() => {
    rmSync(folder, { recursive: true });
  });

  it('makes the folder and a file that only this user can read', async () => {
    const path = join(folder, 'new', 'deep', 'store.sqlite');
    const store = await openStore(`file:${path}`);
    try {
      for (const file of [path, `${path}-wal`]) expect(statSync(file).mode & 0o777).toBe(0o600);
      expect(statSync(join(folder, 'new')).mode & 0o777).toBe(0o700);
    } finally {
      await store.close();
    }
  });

  it('takes a file URL too', async () => {
    const path = join(folder, 'with space.sqlite');
    await (await openStore(pathToFileURL(path).href)).close();
    expect(existsSync(path)).toBe(true);
  });

  it('keeps every memory store apart and writes no file', async () => {
    const [first, second] = [await openStore('file::memory:'), await openStore('file::memory:')];
    await first.claimBatch(batchClaim('b1', ['a']));
    expect(await second.batches(10)).toEqual([]);
    await Promise.all([first.close(), second.close()]);
    expect(existsSync(':memory:')).toBe(false);
  });

  it('leaves an existing database that is none of ours unharmed', async () => {
    const path = join(folder, 'other.sqlite');
    const other = new DatabaseSync(path);
    other.exec('create table payouts (mine text)');
    other.close();
    await expect(openStore(`file:${path}`)).rejects.toThrow(/payouts/);
    const again = new DatabaseSync(path);
    expect(again.prepare("select name from sqlite_master where name = 'batches'").all()).toEqual([]);
    again.close();
  });

  it.each(['', 'file:', 'mysql://user:hunter2@host/db', '/tmp/store.sqlite'])(
    'refuses the URL "%s" without repeating it',
    async (url) => {
      const refused = await openStore(url).catch((error: unknown) => error);
      expect(refused).toMatchObject({ kind: 'set-up', code: 'store-url' });
      expect(String(refused)).not.toContain('hunter2');
    },
  );
});
