import { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import { isAtRest } from '../../domain/payout-state.ts';
import type { Store } from '../../store/store.ts';

const LOOK_EVERY_MS = 1_000;
/** Proxies drop a connection on which nothing comes. */
const QUIET_LOOKS = 15;

/** Server-sent events about a batch: `changed` with each change of its counts, `ended` when every row is at rest. */
export function progressOf(app: FastifyInstance, store: Store, batchId: string): Readable {
  const over = new AbortController();
  const stream = Readable.from(events(store, batchId, over.signal));
  // A gateway that ends waits for nobody who only watches.
  const close = (): void => over.abort();
  app.server.once('close', close);
  stream.once('close', () => {
    app.server.off('close', close);
    close();
  });
  return stream;
}

async function* events(store: Store, batchId: string, signal: AbortSignal): AsyncGenerator<string> {
  let before = '';
  for (let quiet = 0; !signal.aborted; quiet += 1) {
    const byState = await store.stateCounts(batchId);
    const shown = JSON.stringify([...byState].sort());
    if (shown !== before) {
      yield `event: changed\ndata: ${quiet}\n\n`;
      quiet = 0;
    } else if (quiet % QUIET_LOOKS === 0) yield ': nothing new\n\n';
    before = shown;
    if ([...byState.keys()].every(isAtRest)) {
      yield 'event: ended\ndata:\n\n';
      return;
    }
    await pause(LOOK_EVERY_MS, undefined, { signal }).catch(() => {});
  }
}
