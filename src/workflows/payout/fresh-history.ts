import { workflowInfo } from '@temporalio/workflow';
import type { PayoutView } from './view.ts';

/** Thrown where a payout begins to wait: it goes on in a new run with an empty history. */
export class FreshHistory extends Error {}

/**
 * A payout may wait for months, and each look costs events. A new run takes the claim, finds what was sent in the store and asks
 * again what is not decided: not while a vote, a cancel or an operator's request would be lost.
 */
export function goOnAfresh({ inbox, question }: PayoutView): void {
  if (!workflowInfo().continueAsNewSuggested) return;
  const votes = question.awaited?.approvedBy.length ?? 0;
  if (votes > 0 || question.verdict !== undefined || inbox.cancel !== undefined || inbox.resolves.length > 0) return;
  throw new FreshHistory();
}
