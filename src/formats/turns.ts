import { setImmediate } from 'node:timers/promises';

/**
 * Files are read in the process that also answers requests, keeps cards and heartbeats. Reading one is cut into pieces
 * that no content makes long, and between two of them the others have their turn.
 */

/** How long one turn may take before the next piece waits, ms. */
const TURN_MS = 10;

/** A piece of a file: what a reader makes of it is done in a few ms, whatever it holds. */
const PIECE_BYTES = 4 * 1024;

/** Resolves when the work may go on: at once, or after the others' turn where its own was long enough. */
export type NextTurn = () => Promise<void> | undefined;

export function turns(): NextTurn {
  let since = performance.now();
  return () => {
    if (performance.now() - since < TURN_MS) return undefined;
    return setImmediate().then(() => {
      since = performance.now();
    });
  };
}

/** The same bytes in small pieces, a turn at a time. */
export async function* inTurns(bytes: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const next = turns();
  for await (const chunk of bytes) {
    for (let at = 0; at < chunk.length; at += PIECE_BYTES) {
      await next();
      yield chunk.subarray(at, at + PIECE_BYTES);
    }
  }
}
