import {
  appendFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, expect, it } from 'vitest';
import { workflowBundle, workflowBundles } from '../../../src/platform/temporal/bundle.ts';
import { folderOfFile } from '../../support/new-folder.ts';

const project = fileURLToPath(new URL('../../../', import.meta.url));
const root = folderOfFile();

/** A copy of the sources with the project's packages, so that the cache under test is its own. */
beforeAll(() => {
  cpSync(join(project, 'src'), join(root, 'src'), { recursive: true });
  mkdirSync(join(root, 'node_modules'));
  for (const name of ['@temporalio', 'uuid', 'zod'])
    symlinkSync(join(project, 'node_modules', name), join(root, 'node_modules', name));
});

const files = () => readdirSync(join(root, 'node_modules', '.cache', 'durable-payouts'));

it('is built once for each state of its sources, whole also when two build at once', async () => {
  const [first, second] = await Promise.all([workflowBundle({ root }), workflowBundle({ root })]);
  expect(second).toEqual(first);
  expect(files()).toHaveLength(1);
  expect(readFileSync(first.codePath, 'utf8')).toContain('orderWatch');

  const builtAt = statSync(first.codePath).mtimeMs;
  expect(await workflowBundle({ root })).toEqual(first);
  expect(statSync(first.codePath).mtimeMs).toBe(builtAt);

  appendFileSync(join(root, 'src', 'domain', 'money.ts'), '\nexport const changed = true;\n');
  expect(await workflowBundle({ root })).not.toEqual(first);
  expect(files()).toHaveLength(2);
});

it('says what to do where it is not built and its folder cannot be written', async () => {
  const bare = mkdtempSync(join(tmpdir(), 'payouts-bundle-'));
  mkdirSync(join(bare, 'node_modules'));
  // The owner of everything is refused by no mode.
  writeFileSync(join(bare, 'node_modules', '.cache'), '');
  await expect(workflowBundle({ root: bare })).rejects.toMatchObject({
    code: 'workflows-not-built',
    hint: expect.stringContaining('npm run build:workflows'),
  });
  rmSync(bare, { recursive: true });
});

it('builds ahead what any worker loads', async () => {
  const bundles = Object.values(await workflowBundles());
  expect(new Set(bundles).size).toBe(4);
  const loaded = await workflowBundle({ isEncrypted: true, isVersioned: true });
  expect(bundles).toContain(loaded.codePath);
});
