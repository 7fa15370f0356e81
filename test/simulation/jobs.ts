import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { RangeAsked } from './run-range.ts';
import type { SeedOutcome } from './run-seed.ts';

const CHILD = fileURLToPath(new URL('./child.ts', import.meta.url));

/** Runs a range in one child process; rejects when the child dies of anything but its end. */
export async function runInChild(
  asked: Omit<RangeAsked, 'print'>,
  report: (outcome: SeedOutcome) => void,
): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const child = fork(CHILD, [JSON.stringify(asked)], { stdio: ['ignore', 'ignore', 'pipe', 'ipc'] });
  let said = '';
  child.stderr?.on('data', (text: Buffer) => {
    said = (said + text.toString()).slice(-4_000);
  });
  child.on('message', (outcome) => report(outcome as SeedOutcome));
  child.on('error', reject);
  child.on('close', (code) =>
    code === 0 ? resolve() : reject(new Error(`a simulating process ended with ${code}\n${said}`)),
  );
  await promise;
}

/** Works through `tasks` with `jobs` of them under way at a time, in order. */
export async function eachWith<T>(tasks: readonly T[], jobs: number, work: (task: T) => Promise<void>): Promise<void> {
  const rest = [...tasks];
  const lane = async (): Promise<void> => {
    for (let task = rest.shift(); task !== undefined; task = rest.shift()) await work(task);
  };
  await Promise.all(Array.from({ length: jobs }, lane));
}
