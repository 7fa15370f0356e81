import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import { folderMark, processArguments, processMark } from './process-mark.ts';
import { StackError } from './stack-error.ts';
import { readJsonFile, writeJsonFile } from './whole-file.ts';

/** The process that serves a home's Temporal database, recorded so that it can be found if its owner is killed. */
const record = z.object({
  pid: z.int(),
  mark: z.string(),
  dbFile: z.string(),
  /** The folder, by what a copy of it does not share. Earlier builds did not say. */
  folder: z.string().optional(),
});

const STOP_PATIENCE_MS = 10_000;

const file = (home: string): string => join(home, 'temporal.pid');

export function recordServer(home: string, pid: number, dbFile: string): void {
  writeJsonFile(file(home), { pid, mark: processMark(pid) ?? '', dbFile, folder: folderMark(home) });
}

export const forgetServer = (home: string): void => rmSync(file(home), { force: true });

/**
 * Ends a Temporal server that outlived its owner: two servers on one database would both claim to serve. Ends only exactly the
 * recorded process, and only if this home's database is among its arguments. Returns whether there was one.
 *
 * @throws StackError for a copy of a home whose server runs: its store and the original's would both pay what is open
 */
export async function endLeftover(home: string): Promise<boolean> {
  const leftover = readJsonFile(file(home), record);
  const found = leftover !== undefined && isThatServer(leftover);
  if (found && (leftover.folder ?? folderMark(home)) !== folderMark(home)) throw isCopied(home, leftover.pid);
  if (found) await end(leftover);
  forgetServer(home);
  return found;
}

const isCopied = (home: string, pid: number): StackError =>
  new StackError(
    'copied',
    `${home} is a copy of a home that process ${pid} still serves, and both would pay what is open`,
    'End the stack of the original and use only one of the two from now on, or set another PAYOUTS_HOME.',
  );

function isThatServer({ pid, mark, dbFile }: z.infer<typeof record>): boolean {
  return processMark(pid) === mark && processArguments(pid).some((argument) => argument.includes(dbFile));
}

async function end(server: z.infer<typeof record>): Promise<void> {
  const deadline = performance.now() + STOP_PATIENCE_MS;
  for (let signal: NodeJS.Signals = 'SIGTERM'; isThatServer(server); ) {
    process.kill(server.pid, signal);
    while (isThatServer(server) && (signal === 'SIGKILL' || performance.now() < deadline)) await pause(50);
    signal = 'SIGKILL';
  }
}
