import { heartbeat } from '@temporalio/activity';

/** Well inside the heartbeat time-out of `longRuns`, whatever a read of the bank or a pause takes. */
const BEAT_EVERY_MS = 3_000;

/** Runs long work that heartbeats all along, so that another worker takes over soon after this one has died. */
export async function withHeartbeats<T>(work: () => Promise<T>): Promise<T> {
  const timer = setInterval(heartbeat, BEAT_EVERY_MS);
  try {
    return await work();
  } finally {
    clearInterval(timer);
  }
}
