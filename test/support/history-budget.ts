import type { WorkflowHandle } from '@temporalio/client';

/** A signal, the workflow task that it causes, and the look. */
const EVENTS_OF_NOTICE = 5;

/**
 * Events of a history, without notices beyond the `notices` that its route has: on a busy machine the watch tells of a change
 * once more, for an exchange is in two lists, and a status in between may be seen.
 */
export async function eventsOf(handle: WorkflowHandle, notices = 1): Promise<number> {
  const events = (await handle.fetchHistory()).events ?? [];
  const told = events.filter((event) => event.workflowExecutionSignaledEventAttributes?.signalName === 'orderChanged');
  return events.length - EVENTS_OF_NOTICE * Math.max(0, told.length - notices);
}
