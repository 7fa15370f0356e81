import { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { isAtRest } from '../../domain/payout-state.ts';
import type { Store } from '../../store/store.ts';

const LOOK_EVERY_MS = 1_000;
/** Proxies drop a connection on which nothing comes. */
const QUIET_LOOKS = 15;

/**
 * Server-sent events about a batch: `changed` with each change of its counts, `ended` when every row is at rest. `closing`: the gateway
 * ends, and waits for nobody who only watches.
 */
export const progressOf = (store: Store, batchId: string, closing: AbortSignal): Readable =>
  Readable.from(events(store, batchId, closing));

async function* events(store: Store, batchId: string, closing: AbortSignal): AsyncGenerator<string> {
  let before = '';
  for (let quiet = 0; !closing.aborted; quiet += 1) {
    const byState = await store.stateCounts(batchId);
    const counts = JSON.stringify([...byState].sort());
    if (counts !== before) {
      yield 'event: changed\ndata:\n\n';
      quiet = 0;
    } else if (quiet % QUIET_LOOKS === 0) yield ': nothing new\n\n';
    before = counts;
    if ([...byState.keys()].every(isAtRest)) {
      yield 'event: ended\ndata:\n\n';
      return;
    }
    await pause(LOOK_EVERY_MS, undefined, { signal: closing }).catch(() => {});
  }
}
