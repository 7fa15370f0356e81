import { heartbeat } from '@temporalio/activity';

/** Well within the heartbeat timeout of `longRuns`, however long a read of the bank or a pause takes. */
const BEAT_EVERY_MS = 3_000;

/** Heartbeats throughout long work, so that another worker takes over soon after this one dies. */
export async function withHeartbeats<T>(work: () => Promise<T>): Promise<T> {
  const timer = setInterval(heartbeat, BEAT_EVERY_MS);
  try {
    return await work();
  } finally {
    clearInterval(timer);
  }
}
