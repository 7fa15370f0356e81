/** A sender paused for longer than this before its first byte sends nothing: the workflow may have moved on. */
const FIRST_BYTE_WITHIN_MS = 5_000;

/**
 * The check to make right before the first byte; it throws once it is too late. Uses both clocks: the monotonic one may stop while
 * the machine is suspended, the wall clock may be set.
 */
export function firstByteDeadline(): () => void {
  const [monotonic, wall] = [performance.now(), Date.now()];
  return () => {
    if (Math.max(performance.now() - monotonic, Date.now() - wall) > FIRST_BYTE_WITHIN_MS) {
      throw new Error('the sender was paused before its first byte');
    }
  };
}
