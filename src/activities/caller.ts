import { activityInfo, cancellationSignal, log, sleep } from '@temporalio/activity';
import type { LongRun } from '../services/long-run.ts';
import type { Caller } from '../services/sending/send-once.ts';

/** Who has scheduled this activity, by Temporal's word. */
export function caller(): Caller {
  const { workflowExecution, activityId } = activityInfo();
  return { activityId, runId: workflowExecution?.runId ?? '', workflowId: workflowExecution?.workflowId ?? '' };
}

/** The activity as long work sees it. */
export const longRun = (): LongRun => ({
  sleep,
  signal: cancellationSignal(),
  warn: (message, fields) => log.warn(message, fields),
});
