import { setTimeout as pause } from 'node:timers/promises';
import { isAtRest } from '../../domain/payout-state.ts';
import { Problem } from '../../domain/problem.ts';
import type { Store } from '../../store/store.ts';
import { ConcurrencyCounter } from '../http/admission.ts';

const LOOK_EVERY_MS = 1_000;
/** Rounds without a change after which something is sent, because proxies drop silent connections. */
const QUIET_LOOKS = 15;
/** Browsers open six connections to a host over HTTP/1.1, and other requests need one. */
const STREAMS_OF_ONE = 5;
/** Each stream reads the store once a second. */
const STREAMS_OF_ALL = 200;

export const progressStreams = (): ConcurrencyCounter =>
  new ConcurrencyCounter({ each: STREAMS_OF_ONE, all: STREAMS_OF_ALL }, () => {
    return new Problem('too-many', 'too-many-streams', 'Too many pages are being followed at once.', {
      hint: 'Close some of them, or reload this one to see its current state.',
      retryAfterS: 30,
    });
  });

/**
 * Server-sent events about a batch: `changed` after each change of its counts, `ended` when every row is at rest. Ends with the
 * viewer's session (`isLetIn`), and when the gateway shuts down (`closing`), which does not wait for viewers.
 */
export async function* progressOf(
  { store, closing }: { store: Store; closing: AbortSignal },
  batchId: string,
  isLetIn: () => boolean,
): AsyncGenerator<string> {
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
