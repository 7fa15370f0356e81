import proto from '@temporalio/proto';

const { WorkflowTaskFailedCause } = proto.temporal.api.enums.v1;

/**
 * Workflow tasks that the code of a workflow has failed. The server fails one as well, and has it done again, when a message
 * comes at the moment in which the workflow would end: that is nobody's fault.
 */
export const failedTasks = (events: readonly proto.temporal.api.history.v1.IHistoryEvent[]): typeof events =>
  events.filter(({ workflowTaskFailedEventAttributes: failed }) => {
    const { WORKFLOW_TASK_FAILED_CAUSE_UNHANDLED_COMMAND: unhandled } = WorkflowTaskFailedCause;
    return failed != null && failed.cause !== unhandled;
  });
