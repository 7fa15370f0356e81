import { setImmediate } from 'node:timers/promises';

/**
 * Files are read in the process that also answers requests, keeps cards and heartbeats. So reading is cut into pieces that are
 * short whatever their content, and other work gets a turn between two of them.
 */

/** How long one turn may last before other work gets one, ms. */
const TURN_MS = 10;

/** Small enough that a reader processes it in a few ms, whatever it contains. */
const PIECE_BYTES = 4 * 1024;

/** Resolves when the work may continue: at once, or after a turn of other work if its own was long enough. */
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

/** The same bytes in small pieces, with turns for other work. */
export async function* inTurns(bytes: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const next = turns();
  for await (const chunk of bytes) {
    for (let at = 0; at < chunk.length; at += PIECE_BYTES) {
      await next();
      yield chunk.subarray(at, at + PIECE_BYTES);
    }
  }
}

export async function* itemsInTurns<Item>(items: Iterable<Item>): AsyncGenerator<Item> {
  const next = turns();
  for (const item of items) {
    await next();
    yield item;
  }
}
