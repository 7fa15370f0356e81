import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { backup, restore } from '../../../src/cli/commands/backup.ts';
import type { Session } from '../../../src/cli/session.ts';
import { loadConfig } from '../../../src/config.ts';
import { lockHome } from '../../../src/embedded/lock.ts';
import { problemOf } from '../../../src/intake/problem-of.ts';
import { openStore } from '../../../src/store/open.ts';
import { batchClaim } from '../../store/samples.ts';
import { endsWith } from '../../support/ends-with.ts';

const OPTIONS = { by: 'alice', yes: true };

let folder: string;
let home: string;
let copy: string;
let told: [document: unknown, text: string][];

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'payouts-backup-command-'));
  home = join(folder, 'home');
  copy = join(folder, 'copy.sqlite');
  told = [];
  await onStore(async (store) => {
    await store.identify({ bank: 'sandbox', namespace: 'default' });
    await store.claimBatch(batchClaim('b1', ['a', 'b']));
  });
});

afterEach(() => rmSync(folder, { recursive: true }));

/** A session that has settings and an output and nothing else: more is not needed. */
function session(env: Record<string, string> = {}): Session {
  const output = { result: (document: unknown, text: string) => void told.push([document, text]) };
  return { config: loadConfig({ PAYOUTS_HOME: home, ...env }), output } as unknown as Session;
}

async function onStore<T>(work: (store: Awaited<ReturnType<typeof openStore>>) => Promise<T>): Promise<T> {
  const store = await openStore(`file:${join(home, 'store.sqlite')}`);
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

it('copies the store of the home and puts the copy back, and says what each means', async () => {
  expect(await backup(session(), copy)).toBe(0);
  expect(told[0]).toMatchObject([
    {
      schemaVersion: 1,
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
  expect(await restore(session(), copy, OPTIONS)).toBe(0);
  const [document, text] = told[1] ?? [];
  expect(document).toMatchObject({
    schemaVersion: 1,
    restore: { file: copy, store: join(home, 'store.sqlite'), payouts: 2 },
  });
  expect(text).toContain('searched for at the bank');
  const { replaced, restoredAt } = (document as { restore: { replaced: string; restoredAt: string } }).restore;
  expect(existsSync(replaced)).toBe(true);
  await onStore(async (store) => {
    expect((await store.batches(10)).map(({ batchId }) => batchId)).toEqual(['b1']);
    expect((await store.restored())?.at).toBe(Date.parse(restoredAt));
    expect(await store.auditOf('store')).toMatchObject([{ actor: 'alice', action: 'restore' }]);
  });
});

it('restores nothing while a stack holds the home, and frees the home afterwards', async () => {
  await backup(session(), copy);
  const lock = lockHome(home);
  const error = await restore(session(), copy, OPTIONS).catch(problemOf);
  expect(error).toMatchObject({ kind: endsWith(2), code: 'stack-already-up' });
  lock?.release();
  expect(await restore(session(), copy, OPTIONS)).toBe(0);
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
    { kind: endsWith(2), code: 'no-store-file', hint: expect.stringContaining('pg_restore') },
  ]);
  expect(JSON.stringify(errors)).not.toContain('hunter2');
});

it('refuses the copy of another bank, and a file that is none', async () => {
  await backup(session(), copy);
  const elsewhere = { PAYOUTS_API_URL: 'https://bank.example', PAYOUTS_API_KEY: 'k', PAYOUTS_API_SECRET: 's' };
  const other = await restore(session(elsewhere), copy, OPTIONS).catch(problemOf);
  expect(other).toMatchObject({ kind: endsWith(2), code: 'wrong-store' });
  writeFileSync(copy, 'id,amount\n'.repeat(200));
  const none = await restore(session(), copy, OPTIONS).catch(problemOf);
  expect(none).toMatchObject({ kind: endsWith(2), code: 'not-a-store' });
});
