const LOOK_MS = 50;

/** Waits for a condition of the outside world; throws when it has not come true for so long that it never will. */
export async function until(condition: () => Promise<boolean>, waitMaxMs = 120_000): Promise<void> {
  const end = performance.now() + waitMaxMs;
  while (!(await condition())) {
    if (performance.now() > end) throw new Error(`not true in ${waitMaxMs} ms: ${condition}`);
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
}
