import { workflowInfo } from '@temporalio/workflow';

/** Started again by somebody who says so, or a reset of another run: what that one has sent the store may have forgotten. */
export function hadRunBefore(): boolean {
  const { memo, runId, firstExecutionRunId } = workflowInfo();
  return memo?.ranBefore === true || runId !== firstExecutionRunId;
}
