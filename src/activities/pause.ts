import { setTimeout as timer } from 'node:timers/promises';

/** A pause inside a heartbeating activity; rejects when the activity is cancelled or the worker shuts down. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await timer(ms, undefined, { signal });
}
