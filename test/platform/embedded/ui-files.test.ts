import { readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { temporalCli } from '../../../src/platform/embedded/cli-path.ts';
import { UiFiles } from '../../../src/platform/embedded/web-ui.ts';
import { newFolder } from '../../support/new-folder.ts';

let folder: string;
const opened: UiFiles[] = [];

beforeEach(() => {
  folder = newFolder();
});

afterEach(async () => {
  for (const files of opened.splice(0)) await files.close();
});

function open(cliPath = temporalCli(process.env).path): UiFiles {
  const files = new UiFiles({ cliPath, folder: join(folder, 'ui') });
  opened.push(files);
  return files;
}

it('reads the files of the Web UI from the CLI once, and then without it', async () => {
  const files = open();
  const page = await files.read('/');
  expect(page?.type).toMatch(/^text\/html/);
  const [script = ''] = /\/_app\/immutable\/entry\/start[^"]*/.exec(`${page?.body}`) ?? [];
  const read = await Promise.all([files.read(script), files.read('/api/v1/settings')]);
  expect(read.map((file) => file?.type.split(';')[0])).toEqual([
    expect.stringMatching(/javascript/),
    'application/json',
  ]);
  expect(await files.read('/_app/immutable/none.js')).toBeUndefined();
  await files.close();

  expect(statSync(join(folder, 'ui')).mode & 0o077).toBe(0);
  expect(readdirSync(join(folder, 'ui'))).toHaveLength(3);
  const later = open(join(folder, 'no-such-cli'));
  expect(await later.read('/')).toEqual(page);
  await expect(later.read('/favicon.ico')).rejects.toThrow('did not start');
});

it('reads a kept file again that is damaged', async () => {
  const page = await open().read('/');
  for (const name of readdirSync(join(folder, 'ui'))) writeFileSync(join(folder, 'ui', name), 'damaged');
  expect(await open().read('/')).toEqual(page);
});

it('gives out files where none can be kept', async () => {
  writeFileSync(join(folder, 'ui'), 'a file in the place of the folder');
  expect((await open().read('/'))?.type).toMatch(/^text\/html/);
});
