import type { WorkflowHandle } from '@temporalio/client';
import proto from '@temporalio/proto';
import { expect } from 'vitest';
import { eventTimeOf } from './event-time.ts';
import { isOfBusyMachine } from './failed-tasks.ts';

type HistoryEvent = proto.temporal.api.history.v1.IHistoryEvent;

const { EventType } = proto.temporal.api.enums.v1;

/** A signal, the workflow task that it causes, and the read. */
const EVENTS_OF_NOTICE = 5;

/** Events of a workflow task; one that was in vain is followed by another one. */
const EVENTS_OF_TASK = 3;

/**
 * Fails, and lists the events, if a history has more than `most` of them, without those that only a busy machine adds: notices
 * beyond the `notices` that its route has (the watch notifies of a change once more, for an exchange is in two lists, and a status in
 * between may be seen), and workflow tasks that were answered too late or that a worker has asked for while a local activity
 * lasted long.
 */
export async function assertBudget(handle: WorkflowHandle, most: number, notices = 1): Promise<void> {
  const events = (await handle.fetchHistory()).events ?? [];
  const reported = events.filter(
    (event) => event.workflowExecutionSignaledEventAttributes?.signalName === 'orderChanged',
  );
  const late = EVENTS_OF_TASK * events.filter(isOfLateTask).length;
  const counted = events.length - EVENTS_OF_NOTICE * Math.max(0, reported.length - notices) - late;
  expect(counted, `events of ${handle.workflowId}:\n${events.map(lineOf).join('\n')}\n`).toBeLessThanOrEqual(most);
}

/** Its time was over, it failed through nobody's fault, or it ended with nothing but the wish for another one. */
const isOfLateTask = (event: HistoryEvent, index: number, events: readonly HistoryEvent[]): boolean =>
  event.eventType === EventType.EVENT_TYPE_WORKFLOW_TASK_TIMED_OUT ||
  isOfBusyMachine(event) ||
  (event.eventType === EventType.EVENT_TYPE_WORKFLOW_TASK_COMPLETED &&
    events[index + 1]?.eventType === EventType.EVENT_TYPE_WORKFLOW_TASK_SCHEDULED);

function lineOf(event: HistoryEvent): string {
  const at = new Date(eventTimeOf(event) ?? 0).toISOString();
  const name =
    event.activityTaskScheduledEventAttributes?.activityType?.name ??
    event.workflowExecutionSignaledEventAttributes?.signalName ??
    event.markerRecordedEventAttributes?.markerName;
  return [at, EventType[event.eventType ?? 0], name].join(' ').trimEnd();
}
