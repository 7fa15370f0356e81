import { allHandlersFinished, workflowInfo } from '@temporalio/workflow';
import type { PayoutView } from './view.ts';

/** Thrown where a payout begins to wait, to continue as new with an empty history. */
export class HistoryTooLong extends Error {}

/**
 * A payout may wait for months, and each look costs events. The new run takes the claim, finds in the store what was sent, and
 * asks again what is undecided; so not while a vote, a rejection, a cancel or an operator's request would be lost. Nor while a
 * handler runs: it waits for this run, which must not wait for it in turn.
 */
export function continueAsNewIfLong({ inbox, question }: PayoutView): void {
  if (!workflowInfo().continueAsNewSuggested || !allHandlersFinished() || question.rejectedBy !== undefined) return;
  const votes = question.awaited?.approvedBy.length ?? 0;
  if (votes > 0 || question.verdict !== undefined || inbox.cancel !== undefined || inbox.resolves.length > 0) return;
  throw new HistoryTooLong();
}
