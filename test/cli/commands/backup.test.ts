import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Session } from '../../../src/cli/session.ts';
import { backup, restore } from '../../../src/cli/store-copies.ts';
import { problemOf } from '../../../src/files/intake/problem-of.ts';
import { loadConfig } from '../../../src/platform/config.ts';
import { lockHome } from '../../../src/platform/embedded/home.ts';
import { openStore } from '../../../src/store/open.ts';
import { batchClaim } from '../../store/samples.ts';
import { BACKENDS } from '../../store/stores.ts';
import { createDatabase, dropDatabase } from '../../support/databases.ts';
import { endsWith } from '../../support/ends-with.ts';
import { newFolder } from '../../support/new-folder.ts';

const OPTIONS = { by: 'alice', yes: true };
const ELSEWHERE = { PAYOUTS_API_URL: 'https://bank.example', PAYOUTS_API_KEY: 'k', PAYOUTS_API_SECRET: 's' };

let folder: string;
let home: string;
let copy: string;
let printed: [document: unknown, text: string][];

beforeEach(async () => {
  folder = newFolder();
  home = join(folder, 'home');
  copy = join(folder, 'copy.sqlite');
  printed = [];
  await onStore(async (store) => {
    await store.identify({ bank: 'sandbox', namespace: 'default' });
    await store.claimBatch(batchClaim('b1', ['a', 'b']));
  });
});

/** A session that has settings, an output and the id of its store, and nothing else: more is not needed. */
function session(env: Record<string, string> = {}): Session {
  const output = { result: (document: unknown, text: string) => void printed.push([document, text]) };
  const config = loadConfig({ PAYOUTS_HOME: home, XDG_STATE_HOME: folder, ...env });
  return { config, output, store: async () => ({ id: 'store-1' }) } as unknown as Session;
}

async function onStore<T>(
  work: (store: Awaited<ReturnType<typeof openStore>>) => Promise<T>,
  url = `file:${join(home, 'store.sqlite')}`,
): Promise<T> {
  const store = await openStore(url);
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

it('copies the store of the home and puts the copy back, and says what each means', async () => {
  expect(await backup(session(), copy)).toBeUndefined();
  expect(printed[0]).toMatchObject([
    {
      backup: {
        file: copy,
        bank: 'sandbox',
        namespace: 'default',
        payouts: 2,
        open: 2,
        lastChangeAt: '1970-01-01T00:00:01.000Z',
      },
    },
    expect.stringContaining('2 payouts, 2 of them open'),
  ]);
  await onStore((store) => store.claimBatch(batchClaim('b2', ['c'])));
  expect(await restore(session(), copy, OPTIONS)).toBeUndefined();
  const [document, text] = printed[1] ?? [];
  expect(document).toMatchObject({
    restore: { file: copy, store: join(home, 'store.sqlite'), payouts: 2 },
  });
  expect(text).toContain('searched for at the bank');
  const { replaced, restoredAt } = (document as { restore: { replaced: string; restoredAt: string } }).restore;
  expect(existsSync(replaced)).toBe(true);
  await onStore(async (store) => {
    expect((await store.batches(10)).map(({ batchId }) => batchId)).toEqual(['b1']);
    expect((await store.restored())?.at).toBe(Date.parse(restoredAt));
    expect(await store.auditEntriesOf('store')).toMatchObject([{ actor: 'alice', action: 'restore' }]);
  });
});

it('restores nothing while a stack holds the home, and frees the home afterwards', async () => {
  await backup(session(), copy);
  const lock = lockHome(home);
  const error = await restore(session(), copy, OPTIONS).catch(problemOf);
  expect(error).toMatchObject({ kind: endsWith(2), code: 'stack-already-up' });
  lock?.release();
  expect(await restore(session(), copy, OPTIONS)).toBeUndefined();
  const again = lockHome(home);
  expect(again).toBeDefined();
  again?.release();
});

it('asks before it restores', async () => {
  await backup(session(), copy);
  await expect(restore(session(), copy, { ...OPTIONS, yes: false })).rejects.toMatchObject({
    kind: endsWith(2),
    code: 'confirmation-needed',
  });
  expect(await onStore((store) => store.restored())).toBeUndefined();
});

it.each([
  ['the file exists', 'file-exists', () => writeFileSync(copy, '')],
  ['there is no store', 'no-file', () => rmSync(join(home, 'store.sqlite'))],
] as const)('backs up nothing where %s', async (_what, code, prepare) => {
  prepare();
  expect(await backup(session(), copy).catch(problemOf)).toMatchObject({ kind: endsWith(2), code });
});

it('names the tools of PostgreSQL for a store that is there, and not its password', async () => {
  const postgres = session({ PAYOUTS_STORE_URL: 'postgres://pay:hunter2@127.0.0.1/payouts' });
  const refusals = [backup(postgres, copy), restore(postgres, copy, OPTIONS)];
  const errors = await Promise.all(refusals.map((it) => it.catch(problemOf)));
  expect(errors).toMatchObject([
    { kind: endsWith(2), code: 'no-store-file', hint: expect.stringContaining('pg_dump') },
    { kind: endsWith(2), code: 'no-store-file', hint: expect.stringContaining('payouts restore, without a file') },
  ]);
  expect(JSON.stringify(errors)).not.toContain('hunter2');
});

it('restores no store that is a file without a copy', async () => {
  const error = await restore(session(), undefined, OPTIONS).catch(problemOf);
  expect(error).toMatchObject({ kind: endsWith(2), code: 'no-file', hint: expect.stringContaining('restore FILE') });
});

describe.runIf(BACKENDS.length > 1)('after pg_restore', () => {
  const admin = process.env.PAYOUTS_TEST_POSTGRES_URL ?? '';
  const name = `payouts_restored_${process.pid}`;
  let url: string;
  const restored = (env: Record<string, string> = {}, options = OPTIONS) =>
    restore(session({ PAYOUTS_STORE_URL: url, ...env }), undefined, options);

  beforeEach(async () => {
    url = await createDatabase(admin, name);
    await onStore(async (store) => {
      await store.identify({ bank: 'sandbox', namespace: 'default' });
      await store.claimBatch({ ...batchClaim('b1', ['a', 'b']), at: 5_000 });
    }, url);
  });

  afterEach(() => dropDatabase(admin, name));

  it('says in the database that others may have sent since its last change, and since the earliest after two', async () => {
    await restored();
    const [document, text] = printed[0] ?? [];
    const { restoredAt } = (document as { restore: { restoredAt: string } }).restore;
    expect(document).toMatchObject({ restore: { file: null, replaced: null, payouts: 2, open: 2 } });
    expect(text).toContain(`PostgreSQL database ${name} on 127.0.0.1`);
    await onStore(async (store) => {
      expect(await store.restored()).toEqual({ at: Date.parse(restoredAt), from: 5_000 });
      expect(await store.auditEntriesOf('store')).toMatchObject([{ actor: 'alice', action: 'restore' }]);
      await store.claimBatch({ ...batchClaim('b2', ['c']), at: 9_000 });
    }, url);
    await restored();
    await onStore(async (store) => expect((await store.restored())?.from).toBe(5_000), url);
  });

  it.each([
    ['somebody uses the database', 'store-in-use', {}, OPTIONS, true],
    ['nobody confirms', 'confirmation-needed', {}, { ...OPTIONS, yes: false }, false],
    ['the store is of another bank', 'wrong-store', ELSEWHERE, OPTIONS, false],
  ] as const)('records nothing where %s', async (_what, code, env, options, isUsed) => {
    const user = isUsed ? await openStore(url) : undefined;
    await user?.batches(1);
    expect(await restored(env, options).catch(problemOf)).toMatchObject({ kind: endsWith(2), code });
    await user?.close();
    expect(await onStore((store) => store.restored(), url)).toBeUndefined();
  });
});

it('refuses the copy of another bank, and a file that is none', async () => {
  await backup(session(), copy);
  const other = await restore(session(ELSEWHERE), copy, OPTIONS).catch(problemOf);
  expect(other).toMatchObject({ kind: endsWith(2), code: 'wrong-store' });
  writeFileSync(copy, 'id,amount\n'.repeat(200));
  const none = await restore(session(), copy, OPTIONS).catch(problemOf);
  expect(none).toMatchObject({ kind: endsWith(2), code: 'not-a-store' });
});
