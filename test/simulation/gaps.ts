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
} as const satisfies Record<string, boolean>;
