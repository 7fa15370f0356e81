const ROUNDS = 4;

/** Some systems count CPU time in hundredths of a second: what is measured lasts for several, microseconds. */
const MEASURABLE_US = 40_000;

/**
 * How many times the work of `run(small)` is done by `run(large)`, by the least CPU time of several rounds of both. CPU time of
 * this thread: neither other processes nor those that collect garbage and compile beside it add to it. Both take turns, and of
 * the small one as many are measured together as the large one is times as large: what is compiled late on a busy machine, and
 * how fine the clock is, are then the same for both.
 */
export function growth(run: (size: number) => void, small: number, large: number): number {
  const perLarge = Math.round(large / small);
  let times = 1;
  while (cpuOf(run, small, times * perLarge) < MEASURABLE_US) times *= 2;
  const least = { small: Number.POSITIVE_INFINITY, large: Number.POSITIVE_INFINITY };
  for (let round = 0; round < ROUNDS; round += 1) {
    least.small = Math.min(least.small, cpuOf(run, small, times * perLarge));
    least.large = Math.min(least.large, cpuOf(run, large, times));
  }
  return (perLarge * least.large) / least.small;
}

/** Microseconds. */
function cpuOf(run: (size: number) => void, size: number, times: number): number {
  const before = process.threadCpuUsage();
  for (let n = 0; n < times; n += 1) run(size);
  const { user, system } = process.threadCpuUsage(before);
  return user + system;
}
