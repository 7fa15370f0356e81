const LINGER_MS = 2_000;

/**
 * For a program that has reported its end: nothing left over may keep the process alive. A worker that failed to start, say
 * because Temporal went away meanwhile, leaves its native core running, and whoever supervises the process waits for its exit.
 */
export function endSoon(): void {
  setTimeout(() => process.exit(), LINGER_MS).unref();
}
