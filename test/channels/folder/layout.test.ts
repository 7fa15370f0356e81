import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import promises from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { moveInto, openDropFolder, takeIn, workItems } from '../../../src/channels/folder/drop-folder.ts';
import { newFolder } from '../../support/new-folder.ts';

/** What the system says when a mode is changed. */
function chmodRefusedWith(code: string): void {
  vi.spyOn(promises, 'chmod').mockRejectedValue(Object.assign(new Error('refused'), { code }));
  syncBuiltinESMExports();
  onTestFinished(() => {
    vi.restoreAllMocks();
    syncBuiltinESMExports();
  });
}

async function folderWith(name: string) {
  const dir = newFolder();
  const paths = await openDropFolder(dir);
  writeFileSync(join(paths.in, name), 'id,uid');
  return paths;
}

it('takes a file of another user, whose mode only that user may change', async () => {
  const paths = await folderWith('payroll.csv');
  chmodRefusedWith('EPERM');
  expect(await takeIn(paths, 'payroll.csv')).toBe(true);
  expect(existsSync(join(paths.in, 'payroll.csv'))).toBe(false);
  const [item] = await workItems(paths);
  expect(readFileSync(item?.path ?? '', 'utf8')).toBe('id,uid');
});

it('says of any other refusal what it is', async () => {
  const paths = await folderWith('payroll.csv');
  chmodRefusedWith('EROFS');
  await expect(takeIn(paths, 'payroll.csv')).rejects.toMatchObject({ code: 'EROFS' });
});

it('takes no link, pipe or folder that has come in the place of a file since it was read, and leaves alone what it leads to', async () => {
  const paths = await folderWith('payroll.csv');
  const secret = join(paths.done, 'secret');
  writeFileSync(secret, 'key', { mode: 0o644 });
  const path = join(paths.in, 'payroll.csv');
  for (const exchange of [
    () => symlinkSync(secret, path),
    () => execFileSync('mkfifo', [path]),
    () => mkdirSync(join(path, 'below'), { recursive: true }),
  ]) {
    rmSync(path, { recursive: true, force: true });
    exchange();
    expect(await takeIn(paths, 'payroll.csv')).toBe(false);
    expect(readdirSync(paths.work)).toEqual([]);
  }
  expect(readFileSync(secret, 'utf8')).toBe('key');
  expect(statSync(secret).mode & 0o777).toBe(0o644);
});

it.each([
  ['L'.repeat(251), '.csv'],
  ['\u00e9'.repeat(125), '.csv'],
  [`a.${'x'.repeat(250)}`, ''],
])(
  'keeps a file of the longest name there can be, %#, under as much of it as fits with the document beside it',
  async (stem, extension) => {
    const name = stem + extension;
    const paths = await folderWith(name);
    for (const copy of ['first', 'second']) {
      writeFileSync(join(paths.in, name), copy);
      expect(await takeIn(paths, name)).toBe(true);
      const [item] = await workItems(paths);
      expect(await moveInto(paths.error, item?.path ?? '', { suffix: '.error.json', document: {} })).toBe(true);
    }
    const kept = readdirSync(paths.error).filter((it) => !it.endsWith('.json'));
    expect(kept.map((it) => readFileSync(join(paths.error, it), 'utf8')).sort()).toEqual(['first', 'second']);
    expect(kept.every((it) => name.startsWith(it.slice(0, 80)) && it.endsWith(extension))).toBe(true);
    expect(readdirSync(paths.error)).toHaveLength(4);
  },
);
