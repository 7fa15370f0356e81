import { activityInfo, cancellationSignal, heartbeat, log, sleep } from '@temporalio/activity';
import type { Caller } from '../store/claimed-row.ts';
import type { ActivityDeps } from './deps.ts';

/** What long-running work needs from its caller. */
export interface LongRun {
  /** Rejects early when the work is to stop. */
  sleep(ms: number): Promise<void>;
  /** Aborted when the work is to stop. */
  signal: AbortSignal;
  warn(message: string, fields: Record<string, unknown>): void;
}

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

/** The run that scheduled this activity, as Temporal reports it. */
export function caller(): Caller {
  const { workflowExecution, activityId } = activityInfo();
  return { activityId, runId: workflowExecution?.runId ?? '', workflowId: workflowExecution?.workflowId ?? '' };
}

/** A service as an activity: over these dependencies, for the run that has scheduled it. */
export const forCaller =
  <Input, Result>(deps: ActivityDeps, service: (deps: ActivityDeps, caller: Caller, input: Input) => Promise<Result>) =>
  (input: Input): Promise<Result> =>
    service(deps, caller(), input);

export const longRun = (): LongRun => ({
  sleep,
  signal: cancellationSignal(),
  warn: (message, fields) => log.warn(message, fields),
});
