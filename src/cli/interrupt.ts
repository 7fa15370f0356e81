import { Problem } from '../domain/problem.ts';
import { NamespaceTakenError } from '../temporal/namespace-claim.ts';

/** Ctrl-C detaches: it never cancels money. A second one ends the process at once. */
export function interruptSignal(): AbortSignal {
  const controller = new AbortController();
  const onSignal = (): void => {
    if (controller.signal.aborted) process.exit(130);
    controller.abort();
  };
  process.on('SIGINT', onSignal);
  process.on('SIGTERM', onSignal);
  return controller.signal;
}

/** As long as a timer can be. */
const NEVER_MS = 2 ** 31 - 1;

/** Waits for Ctrl-C; a part that ends by itself is an error. */
export async function untilStopped(stopped: AbortSignal, failure: Promise<Error>): Promise<void> {
  if (stopped.aborted) return;
  const interrupted = new Promise<undefined>((resolve) => stopped.addEventListener('abort', () => resolve(undefined)));
  // To listen for a signal keeps no process up: one whose parts are all elsewhere would end with its last idle connection.
  const alive = setInterval(() => undefined, NEVER_MS);
  const error = await Promise.race([interrupted, failure]).finally(() => clearInterval(alive));
  if (error instanceof NamespaceTakenError) throw error;
  if (error !== undefined) {
    throw new Problem('unreachable', 'part-ended', `A part of the stack ended unexpectedly: ${error.message}`, {
      cause: error,
    });
  }
}
