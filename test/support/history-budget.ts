import type { WorkflowHandle } from '@temporalio/client';
import proto from '@temporalio/proto';
import { expect } from 'vitest';
import { eventTimeOf } from './event-time.ts';

type HistoryEvent = proto.temporal.api.history.v1.IHistoryEvent;

const { EventType } = proto.temporal.api.enums.v1;

/** A signal, the workflow task that it causes, and the look. */
const EVENTS_OF_NOTICE = 5;

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
  const at = new Date(eventTimeOf(event) ?? 0).toISOString();
  const name =
    event.activityTaskScheduledEventAttributes?.activityType?.name ??
    event.workflowExecutionSignaledEventAttributes?.signalName ??
    event.markerRecordedEventAttributes?.markerName;
  return [at, EventType[event.eventType ?? 0], name].join(' ').trimEnd();
}
