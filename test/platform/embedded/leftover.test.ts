import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { endLeftover, recordServer } from '../../../src/platform/embedded/boot.ts';
import { processMark, writeJsonFile } from '../../../src/platform/embedded/home.ts';
import { newFolder } from '../../support/new-folder.ts';

let home: string;
const started: ReturnType<typeof spawn>[] = [];

beforeEach(() => {
  home = newFolder();
});

afterEach(() => {
  for (const child of started.splice(0)) child.kill('SIGKILL');
});

/** A process with these arguments that runs until it is ended; it ignores SIGTERM on request. */
async function running(dbFile: string): Promise<{ pid: number; ended: Promise<unknown> }> {
  const child = spawn(process.execPath, [
    '-e',
    "console.log('up'); setInterval(() => {}, 1e6)",
    '--',
    '--db-filename',
    dbFile,
  ]);
  started.push(child);
  const ended = once(child, 'exit');
  await once(child.stdout, 'data');
  return { pid: child.pid ?? 0, ended };
}

it('ends the recorded server of this home', async () => {
  const dbFile = join(home, 'temporal.sqlite');
  const { pid, ended } = await running(dbFile);
  recordServer(home, pid, dbFile);
  expect(await endLeftover(home)).toBe(true);
  await ended;
  expect(processMark(pid)).toBeUndefined();
  expect(existsSync(join(home, 'temporal.pid'))).toBe(false);
});

it('ends it where the home was moved, and refuses a copy of a home that is served', async () => {
  const dbFile = join(home, 'temporal.sqlite');
  const { pid, ended } = await running(dbFile);
  recordServer(home, pid, dbFile);
  const [copy, moved] = [`${home}-copy`, `${home}-moved`];
  cpSync(home, copy, { recursive: true });
  renameSync(home, moved);
  home = copy;
  await expect(endLeftover(copy)).rejects.toMatchObject({ code: 'stack-copied' });
  expect(processMark(pid)).toBeDefined();
  expect(await endLeftover(moved)).toBe(true);
  await ended;
  rmSync(moved, { recursive: true });
});

it('touches neither a process on another file nor a later one with the same id', async () => {
  const dbFile = join(home, 'temporal.sqlite');
  const { pid } = await running('/elsewhere/temporal.sqlite');
  recordServer(home, pid, dbFile);
  expect(await endLeftover(home)).toBe(false);

  const own = await running(dbFile);
  writeJsonFile(join(home, 'temporal.pid'), { pid: own.pid, mark: 'another start', dbFile });
  expect(await endLeftover(home)).toBe(false);
  expect([processMark(pid), processMark(own.pid)]).not.toContain(undefined);
});

it('is no matter where nothing was recorded', async () => {
  expect(await endLeftover(home)).toBe(false);
});
