import { activityInfo, cancellationSignal, log, sleep } from '@temporalio/activity';
import type { LongRun } from '../services/long-run.ts';
import type { Caller } from '../services/sending/send-once.ts';

/** The run that scheduled this activity, as Temporal reports it. */
export function caller(): Caller {
  const { workflowExecution, activityId } = activityInfo();
  return { activityId, runId: workflowExecution?.runId ?? '', workflowId: workflowExecution?.workflowId ?? '' };
}

/** The running activity as `LongRun`. */
export const longRun = (): LongRun => ({
  sleep,
  signal: cancellationSignal(),
  warn: (message, fields) => log.warn(message, fields),
});
