import { activityInfo, cancellationSignal, log, sleep } from '@temporalio/activity';
import type { Caller } from '../store/claimed-row.ts';
import type { ActivityDeps } from './deps.ts';
import type { LongRun } from './long-run.ts';

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
