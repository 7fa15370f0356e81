import { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { isAtRest } from '../../domain/payout-state.ts';
import { Problem } from '../../domain/problem.ts';
import type { Store } from '../../store/store.ts';
import { AtOnce } from '../at-once.ts';

const LOOK_EVERY_MS = 1_000;
/** Proxies drop a connection on which nothing comes. */
const QUIET_LOOKS = 15;
/** A browser has six connections to an address over HTTP/1.1, and pages need one. */
const STREAMS_OF_ONE = 5;
/** Each asks the store once a second. */
const STREAMS_OF_ALL = 200;

/** The streams of a gateway that are open. */
export const progressStreams = (): AtOnce =>
  new AtOnce({ each: STREAMS_OF_ONE, all: STREAMS_OF_ALL }, () => {
    return new Problem('too-many', 'too-many-streams', 'Too many pages are being followed at once.', {
      hint: 'Close some of them, or reload this one to see its current state.',
      retryAfterS: 30,
    });
  });

interface Watched {
  store: Store;
  batchId: string;
  /** Whether whoever watches may still come in. */
  isLetIn: () => boolean;
  /** The gateway ends, and waits for nobody who only watches. */
  closing: AbortSignal;
}

/**
 * Server-sent events about a batch: `changed` with each change of its counts, `ended` when every row is at rest. It ends as well with
 * the session of whoever watches.
 */
export const progressOf = (watched: Watched): Readable => Readable.from(events(watched));

async function* events({ store, batchId, isLetIn, closing }: Watched): AsyncGenerator<string> {
  let before = '';
  for (let quiet = 0; !closing.aborted && isLetIn(); quiet += 1) {
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
