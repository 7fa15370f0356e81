/**
 * What the simulation has found and the product does not hold yet. A gap that is `true` is left out of the mix, so that
 * every other break stays visible; whoever closes one sets it to `false`, and the seeds then hold it closed.
 */
export const LEFT_OUT = {
  /**
   * A worker that stood still while its run was reset stores that run's end afterwards, although the new run has sent an
   * order or ends otherwise (`recordState` in `src/activities/records.ts` asks for no run). I5, I6.
   */
  endOfDroppedRun: true,
  /**
   * With dedupe `verified` a resend in doubt compares neither payee nor fee with what was approved: what has changed since
   * is sent without a new approval (`submitOrder` in `src/workflows/steps/submit-order.ts`). I8.
   */
  resendOfWhatChanged: true,
  /**
   * An attempt that is in the store although its sender was told of an error counts as not sent, and its bytes as those in
   * force: the next send repeats them, while the payout expects the order that it has asked for (`sendOnce` in
   * `src/activities/submit.ts`). I13.
   */
  recordWithoutAnswer: false,
} as const satisfies Record<string, boolean>;
