import { condition, patched, sleep } from '@temporalio/workflow';
import type { AwaitedApproval } from '../../domain/approval.ts';
import type { EndState, PayoutState, Reason } from '../../domain/payout-state.ts';
import { goOnAfresh } from './fresh-history.ts';
import type { PayoutView } from './view.ts';

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
  state: Exclude<PayoutState, EndState>;
  reason: Reason;
  /** How long the question stands; absent: until something else ends it. */
  ttlMs?: number;
  /** Return after this long to look at the bank again; the question stays open meanwhile. */
  lookAgainMs?: number;
  /** Asked for as long as it takes: in a new run, once the history of this one is long. */
  goesOnAfresh?: boolean;
  /** Return when this comes true; the question stays open. */
  interrupt?: () => boolean;
  /** `stored`: the row was written by the activity that found the question. */
  stored?: 'stored' | 'to-store';
}

/** Waits for people, for a cancel request, for the question's end, or for a reason to look at the bank. */
export async function awaitDecision(view: PayoutView, asked: DecisionAsked): Promise<Decided> {
  const { ttlMs, lookAgainMs, interrupt = () => false } = asked;
  const expiresAt = ttlMs === undefined ? asked.ask.expiresAt : Date.now() + ttlMs;
  // Asked before it is shown: whoever sees the state may answer at once.
  view.ask({ ...asked.ask, maker: view.maker, approvedBy: [], expiresAt });
  if (asked.goesOnAfresh === true) goOnAfresh(view);
  if (asked.stored === 'stored') view.show(asked.state, asked.reason);
  else await view.enter(asked.state, asked.reason);
  const expired = after(ttlMs, 'how long the question stands');
  const lookAgain = after(lookAgainMs, 'looks whether the reason is gone');
  const { question, inbox } = view;
  const isOver = (): boolean =>
    question.verdict !== undefined || inbox.wantsCancel || interrupt() || expired() || lookAgain();
  do {
    // What people have signed is in the store: whoever says so here only says that it is time to look.
    if (view.isSigned) await view.weigh(asked.ask);
    await condition(() => isOver() || question.isHinted);
  } while (!isOver());

  if (whatHappened(view, expired()).kind === 'expired' && question.isBeingRead && patched('read-at-expiry')) {
    // Whoever decided in time is told what comes of it: the end agrees with that.
    await condition(() => question.readers === 0);
    await view.weigh(asked.ask);
  }
  const decided = whatHappened(view, expired());
  if (decided.kind !== 'interrupted') question.close();
  return decided;
}

function whatHappened({ question: { verdict }, inbox }: PayoutView, expired: boolean): Decided {
  if (verdict?.verdict === 'approved') return { kind: 'approved', by: verdict.awaited.approvedBy };
  if (verdict?.verdict === 'rejected') return { kind: 'rejected', by: verdict.by, remark: verdict.remark };
  if (inbox.wantsCancel) return { kind: 'cancel' };
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
