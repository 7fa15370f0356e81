import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import type { Session } from '../../../src/cli/session.ts';
import { migrate } from '../../../src/cli/store-copies.ts';
import { loadConfig } from '../../../src/platform/config.ts';
import { openStore } from '../../../src/store/open.ts';
import { createDatabase, dropDatabase, migrated } from '../../support/databases.ts';
import { newFolder } from '../../support/new-folder.ts';

const ADMIN = process.env.PAYOUTS_TEST_POSTGRES_URL;

/** What the command prints with this store. */
async function printed(url: string): Promise<string> {
  const shown: string[] = [];
  const output = { result: (_document: object, text: string) => void shown.push(text) };
  await migrate({ config: loadConfig({ PAYOUTS_STORE_URL: url }), output } as unknown as Session);
  return shown.join();
}

it('makes the tables of a store in a file, and again changes nothing', async () => {
  const folder = newFolder();
  const file = join(folder, 'store.sqlite');
  const first = await printed(`file:${file}`);
  expect(first).toMatch(/^.*store\.sqlite: the tables are those of this version \(\d{4}-.*\)\.$/);
  expect(await printed(`file:${file}`)).toBe(first);
});

it.runIf(ADMIN !== undefined)('makes those of PostgreSQL with the role that owns it, and with no other', async () => {
  const admin = ADMIN ?? '';
  const name = `payouts_migrate_${process.pid}`;
  const owner = await createDatabase(admin, name);
  onTestFinished(() => dropDatabase(admin, name));
  const first = await printed(owner);
  expect(first).toMatch(new RegExp(`^PostgreSQL database ${name} on 127\\.0\\.0\\.1:\\d+: the tables are those`));
  expect(first).not.toContain('postgres:');
  const { writer } = await migrated(admin, owner);
  await (await openStore(writer)).close();
  await expect(printed(writer)).rejects.toMatchObject({
    code: 'store-refused',
    hint: expect.stringContaining('payouts migrate, run by its owner'),
  });
  expect(await printed(owner)).toBe(first);
});
