import { Problem } from '../domain/problem.ts';

/** Ctrl-C, or a terminal that is closed, detaches: it never cancels a payout. A second one ends the process at once. */
export function interruptSignal(): AbortSignal {
  const controller = new AbortController();
  const onSignal = (): void => {
    if (controller.signal.aborted) process.exit(130);
    controller.abort();
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, onSignal);
  return controller.signal;
}

/** The longest delay of a timer. */
const NEVER_MS = 2 ** 31 - 1;

/** Waits for Ctrl-C; throws if a part of the stack ends by itself. */
export async function untilStopped(stopped: AbortSignal, failure: Promise<Error>): Promise<void> {
  if (stopped.aborted) return;
  const interrupted = new Promise<undefined>((resolve) => stopped.addEventListener('abort', () => resolve(undefined)));
  // A signal handler does not keep the process alive: if all parts run elsewhere, it would end with its last idle connection.
  const alive = setInterval(() => undefined, NEVER_MS);
  const error = await Promise.race([interrupted, failure]).finally(() => clearInterval(alive));
  if (error !== undefined) throw partEnded(error);
}

/** A `Problem` says itself what has happened and what to do. */
export const partEnded = (cause: Error, hint = 'Run it again; payouts doctor shows what is wrong.'): Problem =>
  cause instanceof Problem
    ? cause
    : new Problem('unreachable', 'part-ended', `A part of the stack ended unexpectedly: ${cause.message}`, {
        hint,
        cause,
      });
