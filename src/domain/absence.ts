import type { Waits } from './policy.ts';

/** When a missing order is proven missing, and when to look for it. Pure: workflows and simulations run the same code. */

/** One look through the order list. */
export interface Scan {
  /** Workflow time at which the look began, epoch ms. */
  startedAt: number;
  /** All pages read and consistent with each other; only such a look can prove absence. */
  stable: boolean;
  /** Orders under the reference. */
  found: number;
}

/**
 * Negative proof: two stable empty looks, both begun after the last attempt's late-commit and list-lag windows.
 * `since` is when the last attempt ended, epoch ms.
 */
export function provenAbsent(scans: readonly Scan[], since: number, waits: Waits): boolean {
  const from = proofFrom(since, waits);
  return scans.filter((scan) => scan.stable && scan.found === 0 && scan.startedAt >= from).length >= 2;
}

/** From when on (epoch ms) a look can prove that an attempt, ended at `since`, was nothing. */
export const proofFrom = (since: number, { lateCommitMs, listLagMs }: Waits): number =>
  since + lateCommitMs + listLagMs;

/** Pauses between looks: quick at first, then spread over the proof window. Units: ms before scaling by the window. */
const LOOK_SCHEDULE_FRACTIONS = [0, 0.003, 0.007, 0.02, 0.04, 0.08, 0.16, 0.4, 0.7, 1, 1.02];

/** When the n-th look (from 0) begins, as ms after the last attempt ended; undefined once the schedule is over. */
export function lookAt(n: number, waits: Waits): number | undefined {
  const fraction = LOOK_SCHEDULE_FRACTIONS[n];
  return fraction === undefined ? undefined : Math.ceil(fraction * (waits.lateCommitMs + waits.listLagMs));
}
