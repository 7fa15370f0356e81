import { setImmediate } from 'node:timers/promises';

const ROUNDS = 3;

/**
 * What `yardstick` takes on the machine that the limits of tests are meant for, ms: many times as long as a system's clock tick.
 */
const YARDSTICK_MS = 120;

/**
 * CPU time of the longest turn of the event loop while `run` is under way, ms: for so long nobody else in the process was
 * served. CPU time of this thread and not the clock's: other processes take time from the clock but add nothing to it.
 * What is longer than `enough` is counted by a yardstick, since machines differ and a shared one is slower at times; and is
 * tried again: a collection of garbage falls into some turn, content into the same one.
 */
export async function longestTurn(run: () => unknown, enough: number): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let round = 0; round < ROUNDS && least > enough; round += 1) {
    const ms = await measured(run);
    least = Math.min(least, ms <= enough ? ms : (ms * YARDSTICK_MS) / yardstick());
  }
  return least;
}

/** CPU time of work that is always the same, ms. */
function yardstick(): number {
  const before = process.threadCpuUsage();
  let sum = 0;
  for (let n = 0; n < 1_600_000; n += 1) sum += JSON.parse(`[${n % 200_000}]`)[0];
  const { user, system } = process.threadCpuUsage(before);
  if (sum !== 159_999_200_000) throw new Error('the yardstick was not worked out');
  return (user + system) / 1_000;
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
