import type { PayoutState, Reason } from '../domain/payout-state.ts';
import { isEnd } from '../domain/payout-state.ts';
import type { ActivityDeps } from './deps.ts';

export interface RecordStateInput {
  reference: string;
  state: PayoutState;
  reason: Reason | null;
  orderId?: string;
  /** References that leave the open set with an end. */
  closes?: string[];
}

export interface AuditInput {
  subject: string;
  actor: string;
  action: string;
  detail: Record<string, string>;
}

export const recordActivities = (deps: ActivityDeps) => ({
  /** Where the payout stands, for reports and lists. A stored end is never left. */
  async recordState({ reference, state, reason, orderId, closes }: RecordStateInput): Promise<void> {
    await deps.store.changePayout(reference, { state, reason, orderId, at: deps.now() });
    if (!isEnd(state)) return;
    for (const closed of closes ?? []) await deps.store.closeOrder(closed);
  },

  /** Who decided what. Not between a decision and its effect: an audit that fails is retried, the payout goes on. */
  async recordAudit({ subject, actor, action, detail }: AuditInput): Promise<void> {
    await deps.store.audit({ at: deps.now(), subject, actor, action, detail });
  },

  /** The end of a reference that is followed apart from its payout (an exchange). */
  async closeOrder({ reference }: { reference: string }): Promise<void> {
    await deps.store.closeOrder(reference);
  },
});
