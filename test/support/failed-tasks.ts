import proto from '@temporalio/proto';

type HistoryEvent = proto.temporal.api.history.v1.IHistoryEvent;

const { WorkflowTaskFailedCause } = proto.temporal.api.enums.v1;

/** How the workflow fails a task that came on top of one that had timed out. */
export const AFTER_LOST_TASK = 'a workflow task timed out while a local activity ran; the workflow is replayed';

/** Workflow tasks that the code of a workflow has failed. */
export const failedTasks = (events: readonly HistoryEvent[]): readonly HistoryEvent[] =>
  events.filter((event) => event.workflowTaskFailedEventAttributes != null && !isOfBusyMachine(event));

/**
 * A failure that is nobody's fault: the server fails a task, and has it done again, when a message comes at the moment in which the
 * workflow would end; and a worker may lose one.
 */
export function isOfBusyMachine({ workflowTaskFailedEventAttributes: failed }: HistoryEvent): boolean {
  const { WORKFLOW_TASK_FAILED_CAUSE_UNHANDLED_COMMAND: unhandled } = WorkflowTaskFailedCause;
  return failed != null && (failed.cause === unhandled || failed.failure?.message === AFTER_LOST_TASK);
}
