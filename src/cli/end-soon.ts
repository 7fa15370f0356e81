const LINGER_MS = 2_000;

/**
 * Called when a program has said how it ended: what is left of it must not keep its process. A worker that could not be made, say
 * because Temporal went away meanwhile, leaves its native core behind; whoever watches over the process waits for its end.
 */
export function endSoon(): void {
  setTimeout(() => process.exit(), LINGER_MS).unref();
}
