const ROUNDS = 5;

/**
 * How many times the work of `run(small)` is done by `run(large)`: the least CPU time of several rounds of each. Other
 * processes take time from the clock but do not add to this one's.
 */
export function growth(run: (size: number) => void, small: number, large: number): number {
  const least = (size: number): number => Math.min(...Array.from({ length: ROUNDS }, () => cpuOf(() => run(size))));
  run(small); // compiled before it is measured
  return least(large) / least(small);
}

/** Microseconds. */
function cpuOf(run: () => void): number {
  const before = process.cpuUsage();
  run();
  const { user, system } = process.cpuUsage(before);
  return user + system;
}
