import { isEnd, type PayoutState, type Reason } from '../domain/payout-state.ts';
import type { ActivityDeps } from './deps.ts';

export interface RecordStateInput {
  reference: string;
  state: PayoutState;
  reason: Reason | null;
  orderId?: string;
  /** What a payout that waits for money needs, decimal. */
  fundsNeeded?: string;
  /** References that leave the open set with an end. */
  closes?: string[];
}

export const recordActivities = (deps: ActivityDeps) => ({
  /** Where the payout stands, for reports and lists. A stored end is never left. */
  async recordState({ reference, state, reason, orderId, fundsNeeded, closes }: RecordStateInput): Promise<void> {
    await deps.store.changePayout(reference, { state, reason, orderId, fundsNeeded, at: deps.now() });
    if (orderId !== undefined) await deps.store.noteOrder(reference, { orderId });
    if (!isEnd(state)) return;
    for (const closed of closes ?? []) await deps.store.closeOrder(closed);
  },
});
