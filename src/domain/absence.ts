import type { Waits } from './policy.ts';

/** When an order counts as proven absent, and when to search for it. Pure: workflows and simulations run the same code. */

/** One search through the order list. */
export interface Search {
  /** Workflow time at which the search began, epoch ms. */
  startedAt: number;
  /** All pages were read and are consistent with each other, and show no order that may be this one. */
  isEmpty: boolean;
}

/**
 * Proof of absence: two empty searches, both begun after the last attempt's late-commit and list-lag windows. `since` is
 * when the last attempt ended, epoch ms.
 */
export function provenAbsent(scans: readonly Search[], since: number, waits: Waits): boolean {
  const from = proofFrom(since, waits);
  return scans.filter((scan) => scan.isEmpty && scan.startedAt >= from).length >= 2;
}

/** Time (epoch ms) from which a search can prove that an attempt that ended at `since` made no order. */
export const proofFrom = (since: number, { lateCommitMs, listLagMs }: Waits): number =>
  since + lateCommitMs + listLagMs;

/** When searches begin, as fractions of the proof window after the last attempt: quick at first, then spread out. */
const SEARCH_SCHEDULE_FRACTIONS = [0, 0.003, 0.007, 0.02, 0.04, 0.08, 0.16, 0.4, 0.7, 1, 1.02];

/** When the n-th search (from 0) begins, in ms after the last attempt ended; undefined when the schedule is over. */
export function searchDelayMs(n: number, waits: Waits): number | undefined {
  const fraction = SEARCH_SCHEDULE_FRACTIONS[n];
  return fraction === undefined ? undefined : Math.ceil(fraction * (waits.lateCommitMs + waits.listLagMs));
}
