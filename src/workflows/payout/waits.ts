import { CancellationScope, condition, isCancellation, sleep } from '@temporalio/workflow';

/** Runs a wait that nothing depends on, and cancels it when a cancel is requested or the time limit is over. */
export async function untilCancelRequested(
  inbox: { readonly wantsCancel: boolean },
  limitMs: number,
  wait: () => Promise<void>,
): Promise<void> {
  const scope = new CancellationScope();
  const waiting = scope.run(wait).catch((error: unknown) => {
    if (!isCancellation(error)) throw error;
  });
  const stop = scope.run(() => sleep(limitMs, { summary: 'how long to wait at most' })).catch(() => undefined);
  await Promise.race([waiting, stop, condition(() => inbox.wantsCancel)]);
  scope.cancel();
  await waiting;
}

/** Whether a time has passed. An unneeded timer is left pending: cancelling it costs an event. */
export function after(ms: number | undefined, summary: string): () => boolean {
  let passed = false;
  if (ms !== undefined) {
    void sleep(ms, { summary }).then(() => {
      passed = true;
    });
  }
  return () => passed;
}
