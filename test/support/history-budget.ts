import type { WorkflowHandle } from '@temporalio/client';
import proto from '@temporalio/proto';
import { expect } from 'vitest';

type HistoryEvent = proto.temporal.api.history.v1.IHistoryEvent;

const { EventType } = proto.temporal.api.enums.v1;

/** A signal, the workflow task that it causes, the look, and one more task if it comes during another. */
const EVENTS_OF_NOTICE = 8;

/**
 * Fails, and lists the events, if a history has more than `most` of them, without notices beyond the `notices` that its route has:
 * on a busy machine the watch tells of a change once more, for an exchange is in two lists, and a status in between may be seen.
 */
export async function assertBudget(handle: WorkflowHandle, most: number, notices = 1): Promise<void> {
  const events = (await handle.fetchHistory()).events ?? [];
  const told = events.filter((event) => event.workflowExecutionSignaledEventAttributes?.signalName === 'orderChanged');
  const counted = events.length - EVENTS_OF_NOTICE * Math.max(0, told.length - notices);
  expect(counted, `events of ${handle.workflowId}:\n${events.map(lineOf).join('\n')}\n`).toBeLessThanOrEqual(most);
}

function lineOf(event: HistoryEvent): string {
  const { eventTime, eventType } = event;
  const at = new Date(Number(eventTime?.seconds ?? 0) * 1_000 + (eventTime?.nanos ?? 0) / 1e6).toISOString();
  const name =
    event.activityTaskScheduledEventAttributes?.activityType?.name ??
    event.workflowExecutionSignaledEventAttributes?.signalName ??
    event.markerRecordedEventAttributes?.markerName;
  return [at, EventType[eventType ?? 0], name].join(' ').trimEnd();
}
