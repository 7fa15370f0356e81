/** A sender paused for longer than this before its first byte sends nothing: the workflow may have moved on. */
const FENCE_MS = 5_000;

/** Uses both clocks: the monotonic one may stop while the machine is suspended, the wall clock may be set. */
export function raiseFence(): () => void {
  const [monotonic, wall] = [performance.now(), Date.now()];
  return () => {
    if (Math.max(performance.now() - monotonic, Date.now() - wall) > FENCE_MS) {
      throw new Error('the sender was paused before its first byte');
    }
  };
}
