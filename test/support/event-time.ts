import type proto from '@temporalio/proto';

/** When an event was recorded, in epoch ms; undefined: there is no such event. */
export function eventTimeOf(event: proto.temporal.api.history.v1.IHistoryEvent | undefined): number | undefined {
  const time = event?.eventTime;
  return time == null ? undefined : Number(time.seconds) * 1_000 + (time.nanos ?? 0) / 1_000_000;
}
