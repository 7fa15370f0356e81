import { condition, sleep } from '@temporalio/workflow';
import type { AwaitedApproval } from '../../domain/approval.ts';
import type { PayoutState, Reason } from '../../domain/payout-state.ts';
import type { PayoutLife } from '../life.ts';

export type Decided =
  | { kind: 'approved'; by: readonly string[] }
  | { kind: 'rejected'; by: string; remark: string }
  | { kind: 'cancel' }
  | { kind: 'expired' }
  /** `interrupt` came true: something else happened first. */
  | { kind: 'interrupted' };

export interface DecisionAsked {
  ask: Omit<AwaitedApproval, 'approvedBy' | 'expiresAt' | 'maker'>;
  /** State shown and stored while people are waited for. */
  state: PayoutState;
  reason: Reason;
  /** How long the question stands; absent: until something else ends it. */
  ttlMs?: number;
  interrupt?: () => boolean;
  /** The row was written by the activity that found the question. */
  stored?: 'stored';
}

/** Waits for people, for a cancel request, for the question's end of life, or for `interrupt`. */
export async function awaitDecision(life: PayoutLife, asked: DecisionAsked): Promise<Decided> {
  const { ttlMs, interrupt = () => false } = asked;
  const expiresAt = ttlMs === undefined ? undefined : Date.now() + ttlMs;
  // Asked before it is shown: whoever sees the state may answer at once.
  life.ask({ ...asked.ask, maker: life.maker, approvedBy: [], expiresAt });
  await life.enter(asked.state, asked.reason, asked.stored);
  const settled = (): boolean => life.verdict !== undefined || life.wantsCancel || interrupt();
  const inTime = await settledWithin(settled, ttlMs);
  const { verdict } = life;
  life.closeAsking();
  if (verdict?.verdict === 'approved') return { kind: 'approved', by: verdict.awaited.approvedBy };
  if (verdict?.verdict === 'rejected') return { kind: 'rejected', by: verdict.by, remark: verdict.remark };
  if (life.wantsCancel) return { kind: 'cancel' };
  return { kind: inTime ? 'interrupted' : 'expired' };
}

/** False when the time is over first. The timer is left pending when it is not needed: cancelling it costs an event. */
async function settledWithin(settled: () => boolean, ttlMs: number | undefined): Promise<boolean> {
  let over = false;
  if (ttlMs !== undefined)
    void sleep(ttlMs, { summary: 'how long the question stands' }).then(() => {
      over = true;
    });
  await condition(() => settled() || over);
  return settled();
}
