import type { Client } from '@temporalio/client';
import type { temporal } from '@temporalio/proto';

export interface HistoryCounts {
  events: number;
  /** Of the server: `stateTransitionCount`. */
  transitions: number;
  /** Billable actions of Temporal Cloud, counted from the history. */
  actions: number;
  bytes: number;
}

type History = temporal.api.history.v1.IHistory;
type HistoryEvent = temporal.api.history.v1.IHistoryEvent;

export async function countsOf(client: Client, workflowId: string): Promise<HistoryCounts> {
  const handle = client.workflow.getHandle(workflowId);
  const { raw } = await handle.describe();
  const { historySizeBytes, stateTransitionCount } = raw.workflowExecutionInfo ?? {};
  const { events } = await handle.fetchHistory();
  return {
    events: events?.length ?? 0,
    transitions: Number(stateTransitionCount ?? 0),
    actions: actionsOf({ events }),
    bytes: Number(historySizeBytes ?? 0),
  };
}

/**
 * https://docs.temporal.io/evaluate/cloud/actions: a start, each activity and each of its retries, a timer, a signal, an update,
 * a change of search attributes; all local activities of one workflow task together are one.
 */
export function actionsOf({ events }: History): number {
  const localTasks = new Set<string>();
  let actions = 0;
  for (const event of events ?? []) {
    const marker = event.markerRecordedEventAttributes;
    if (marker?.markerName === 'core_local_activity') localTasks.add(`${marker.workflowTaskCompletedEventId}`);
    actions += actionOf(event);
  }
  return actions + localTasks.size;
}

function actionOf(event: HistoryEvent): number {
  const retries = (event.activityTaskStartedEventAttributes?.attempt ?? 1) - 1;
  const isOne =
    event.workflowExecutionStartedEventAttributes ??
    event.activityTaskScheduledEventAttributes ??
    event.timerStartedEventAttributes ??
    event.workflowExecutionSignaledEventAttributes ??
    event.workflowExecutionUpdateAcceptedEventAttributes ??
    event.upsertWorkflowSearchAttributesEventAttributes;
  return retries + (isOne == null ? 0 : 1);
}
