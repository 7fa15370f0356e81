import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import { folderMark, processMark, readJsonFile, writeJsonFile } from '../../src/platform/embedded/home.ts';
import type { ServerProcess } from './server-process.ts';

const processes = z.array(z.object({ pid: z.int(), mark: z.string(), folder: z.string() }));
const fileOf = (home: string): string => join(home, 'processes.json');
const END_MS = 20_000;

/** Keeps the record of what runs, also of what is started again. */
export function rememberLaunches(home: string, parts: readonly ServerProcess[]): void {
  const remember = (): void => {
    const pids = parts.flatMap(({ pid }) => pid ?? []);
    rememberProcesses(home, pids);
  };
  for (const part of parts) part.onLaunch = remember;
}

/** What runs now, each process with a mark that a later one under its id does not have. */
export function rememberProcesses(home: string, pids: readonly number[]): void {
  const marked = pids.flatMap((pid) => {
    const mark = processMark(pid);
    return mark === undefined ? [] : [{ pid, mark, folder: folderMark(home) }];
  });
  writeJsonFile(fileOf(home), marked);
}

/**
 * Ends what a supervisor that was killed has left behind; the last first, and nothing but what it had started: a copied folder
 * has the record of the original's processes.
 */
export async function endLeftovers(home: string, say: (line: string) => void): Promise<void> {
  for (const { pid, mark, folder } of (readJsonFile(fileOf(home), processes) ?? []).toReversed()) {
    if (processMark(pid) !== mark || folder !== folderMark(home)) continue;
    say(`ending process ${pid}, left behind by an earlier cluster in this folder`);
    process.kill(pid, 'SIGINT');
    const deadline = performance.now() + END_MS;
    while (processMark(pid) === mark) {
      if (performance.now() > deadline) process.kill(pid, 'SIGKILL');
      await pause(100);
    }
  }
}
