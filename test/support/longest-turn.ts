import { setImmediate } from 'node:timers/promises';

const ROUNDS = 3;

/**
 * CPU time of the longest turn of the event loop while `run` is under way, ms: for so long nobody else in the process was
 * served. CPU time of this thread and not the clock's: other processes take time from the clock but add nothing to it.
 * What is longer than `enough` is tried again: a collection of garbage falls into some turn, content into the same one.
 */
export async function longestTurn(run: () => unknown, enough: number): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let round = 0; round < ROUNDS && least > enough; round += 1) least = Math.min(least, await measured(run));
  return least;
}

async function measured(run: () => unknown): Promise<number> {
  let longest = 0;
  let isRunning = true;
  const watch = async (): Promise<void> => {
    while (isRunning) {
      const before = process.threadCpuUsage();
      await setImmediate();
      const { user, system } = process.threadCpuUsage(before);
      longest = Math.max(longest, (user + system) / 1_000);
    }
  };
  const watching = watch();
  try {
    await run();
  } finally {
    isRunning = false;
  }
  await watching;
  return longest;
}
