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
  /** `expiresAt` (epoch ms): decisions are refused from then on, and the question stands until the order moves. */
  ask: Omit<AwaitedApproval, 'approvedBy' | 'expiresAt' | 'maker'> & { expiresAt?: number };
  /** State shown and stored while people are waited for. */
  state: PayoutState;
  reason: Reason;
  /** How long the question stands; absent: until something else ends it. */
  ttlMs?: number;
  /** Return after this long to look at the bank again; the question stays open meanwhile. */
  lookAgainMs?: number;
  /** Return when this comes true; the question stays open. */
  interrupt?: () => boolean;
  /** `stored`: the row was written by the activity that found the question. */
  stored?: 'stored' | 'to-store';
}

/** Waits for people, for a cancel request, for the question's end, or for a reason to look at the bank. */
export async function awaitDecision(life: PayoutLife, asked: DecisionAsked): Promise<Decided> {
  const { ttlMs, lookAgainMs, interrupt = () => false } = asked;
  const expiresAt = ttlMs === undefined ? asked.ask.expiresAt : Date.now() + ttlMs;
  // Asked before it is shown: whoever sees the state may answer at once.
  life.ask({ ...asked.ask, maker: life.maker, approvedBy: [], expiresAt });
  await life.enter(asked.state, asked.reason, asked.stored);
  const expired = after(ttlMs, 'how long the question stands');
  const lookAgain = after(lookAgainMs, 'looks whether the reason is gone');
  await condition(() => life.verdict !== undefined || life.wantsCancel || interrupt() || expired() || lookAgain());

  const decided = whatHappened(life, expired());
  if (decided.kind !== 'interrupted') life.closeQuestion();
  return decided;
}

function whatHappened({ verdict, wantsCancel }: PayoutLife, expired: boolean): Decided {
  if (verdict?.verdict === 'approved') return { kind: 'approved', by: verdict.awaited.approvedBy };
  if (verdict?.verdict === 'rejected') return { kind: 'rejected', by: verdict.by, remark: verdict.remark };
  if (wantsCancel) return { kind: 'cancel' };
  return { kind: expired ? 'expired' : 'interrupted' };
}

/** Whether a time has passed. The timer is left pending when it is not needed: cancelling it costs an event. */
function after(ms: number | undefined, summary: string): () => boolean {
  let passed = false;
  if (ms !== undefined) {
    void sleep(ms, { summary }).then(() => {
      passed = true;
    });
  }
  return () => passed;
}
