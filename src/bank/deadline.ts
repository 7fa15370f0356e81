/**
 * Runs `work` with a signal that aborts after `ms` or with the caller's own signal. One timer and one listener per call, both
 * removed at the end, so that a long-lived signal accumulates nothing.
 */
export async function withDeadline<T>(
  ms: number,
  outer: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(new DOMException('time limit', 'TimeoutError')), ms);
  const stop = () => controller.abort(outer?.reason);
  if (outer?.aborted) stop();
  outer?.addEventListener('abort', stop, { once: true });
  try {
    return await work(controller.signal);
  } finally {
    clearTimeout(timer);
    outer?.removeEventListener('abort', stop);
  }
}

/** Waits for `promise` until `signal` aborts; the promise itself continues for its other waiters. */
export async function orAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const stop = () => reject(signal.reason);
  signal.addEventListener('abort', stop, { once: true });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

/**
 * Resolves after `ms`; rejects with the signal's reason if it aborts first. Uses the global timer, which the simulation replaces:
 * that of `node:timers/promises` would run in real time and break determinism.
 */
export async function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  try {
    await (signal === undefined ? promise : orAborted(promise, signal));
  } finally {
    clearTimeout(timer);
  }
}
