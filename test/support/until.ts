/**
 * No machine is so busy that what works takes so long; less than the limit of a test, which says nothing of what it waited for.
 */
export const HANGS_MS = 540_000;

/** Pauses between two reads, ms: they grow, since a read may be a command or a call, and a wait that is long has time. */
const FIRST_PAUSE_MS = 10;
const LONGEST_PAUSE_MS = 100;
const GROWTH = 1.5;

/** Waits for a condition of the outside world; throws when it has not come true for so long that it never will. */
export async function until(condition: () => Promise<boolean>): Promise<void> {
  const end = performance.now() + HANGS_MS;
  let pauseMs = FIRST_PAUSE_MS;
  while (!(await condition())) {
    if (performance.now() > end) throw new Error(`not true in ${HANGS_MS} ms: ${condition}`);
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
    pauseMs = Math.min(LONGEST_PAUSE_MS, pauseMs * GROWTH);
  }
}
