import {
  allHandlersFinished,
  CancellationScope,
  condition,
  isCancellation,
  sleep,
  workflowInfo,
} from '@temporalio/workflow';
import type { AwaitedApproval } from '../../domain/authority.ts';
import type { EndState, PayoutState, Reason } from '../../domain/payout-state.ts';
import { after } from '../execution.ts';
import { answerOrUndefined, renewClaim } from '../proxies.ts';
import type { PayoutView } from './view.ts';

export type Decided =
  | { kind: 'approved'; by: readonly string[] }
  | { kind: 'rejected'; by: string; remark: string }
  | { kind: 'cancel' }
  | { kind: 'expired' }
  /** `interrupt` came true or `pollMs` passed first. */
  | { kind: 'interrupted' };

interface DecisionAsked {
  /** `expiresAt` (epoch ms): decisions are refused from then on, while the question stays open until the order moves. */
  ask: Omit<AwaitedApproval, 'approvedBy' | 'expiresAt' | 'maker'> & { expiresAt?: number };
  /** State shown and stored while waiting for people. */
  state: Exclude<PayoutState, EndState>;
  reason: Reason;
  /** How long the question stays open; absent: until something else ends it. */
  ttlMs?: number;
  /** Return after this long to read the bank again; the question stays open. */
  pollMs?: number;
  /** Whether to continue in a new run once this one's history is long, because the question may stay open for very long. */
  continuesAsNew?: boolean;
  /** Return when this comes true; the question stays open. */
  interrupt?: () => boolean;
  /** `stored`: the activity that found the question has already written the row. */
  stored?: 'stored' | 'to-store';
}

/** Waits for people, for a cancel, for the question's expiry, or for a reason to read the bank. */
export async function awaitDecision(view: PayoutView, asked: DecisionAsked): Promise<Decided> {
  const { ttlMs, pollMs, interrupt = () => false } = asked;
  const expiresAt = ttlMs === undefined ? asked.ask.expiresAt : Date.now() + ttlMs;
  // Asked before it is shown: a person who sees the state may answer at once.
  view.ask({ ...asked.ask, maker: view.maker, approvedBy: [], expiresAt });
  if (asked.continuesAsNew === true) continueAsNewIfLong(view);
  if (asked.stored === 'stored') view.show(asked.state, asked.reason);
  else await view.enter(asked.state, asked.reason);
  const expired = after(ttlMs, 'how long the question is open');
  const readAgain = after(pollMs, 'checks whether the reason is gone');
  const { question } = view;
  const isOver = (): boolean =>
    question.verdict !== undefined || view.wantsCancel || interrupt() || expired() || readAgain();
  do {
    // Signed decisions are in the store: a signal or an update only says that it is time to read them.
    if (view.isSigned) await view.verify(asked.ask);
    await condition(() => isOver() || question.isHinted);
  } while (!isOver());

  if (whatHappened(view, expired()).kind === 'expired' && question.isBeingRead) {
    // Lets updates that were sent in time answer first, so that the end agrees with their answers.
    await condition(() => question.readers === 0);
    await view.verify(asked.ask);
  }
  const decided = whatHappened(view, expired());
  if (decided.kind !== 'interrupted') question.close();
  return decided;
}

function whatHappened({ question: { verdict }, wantsCancel }: PayoutView, expired: boolean): Decided {
  if (verdict?.verdict === 'approved') return { kind: 'approved', by: verdict.awaited.approvedBy };
  if (verdict?.verdict === 'rejected') return { kind: 'rejected', by: verdict.by, remark: verdict.remark };
  if (wantsCancel) return { kind: 'cancel' };
  return { kind: expired ? 'expired' : 'interrupted' };
}

/** Runs a wait that nothing depends on, and cancels it when a cancel is requested, the time limit is over, or `interrupt` comes true. */
export async function untilCancelRequested(
  view: PayoutView,
  limitMs: number,
  wait: () => Promise<void>,
  interrupt: () => boolean = () => false,
): Promise<void> {
  const scope = new CancellationScope();
  const waiting = scope.run(wait).catch((error: unknown) => {
    if (!isCancellation(error)) throw error;
  });
  const stop = scope.run(() => sleep(limitMs, { summary: 'how long to wait at most' })).catch(() => undefined);
  await Promise.race([waiting, stop, condition(() => view.wantsCancel || interrupt())]);
  scope.cancel();
  await waiting;
}

/** Thrown where a payout begins to wait, to continue as new with an empty history. */
export class HistoryTooLong extends Error {}

/**
 * A payout may wait for months, and each read costs events. The new run takes the claim, finds in the store what was sent, and
 * asks again what is undecided; so not while a vote, a rejection, a cancel or an operator's request would be lost. Nor while a
 * handler runs: it waits for this run, which must not wait for it in turn.
 */
export function continueAsNewIfLong({ inbox, question }: PayoutView): void {
  if (!workflowInfo().continueAsNewSuggested || !allHandlersFinished() || question.rejectedBy !== undefined) return;
  const votes = question.awaited?.approvedBy.length ?? 0;
  if (votes > 0 || question.verdict !== undefined || inbox.cancel !== undefined || inbox.resolves.length > 0) return;
  throw new HistoryTooLong();
}

/**
 * Call after a sender gave no answer. A worker that paused with its task may still start it later; without a new term it would
 * send after the searches.
 */
export async function takeNextTerm(view: PayoutView): Promise<void> {
  view.renewed(await renewClaim({ claim: view.claim }, 'nothing is sent late any more'));
}

/** Both, if nothing has to be noted in between. */
export async function sendOrRenewClaim<Result>(
  view: PayoutView,
  send: () => Promise<Result>,
): Promise<Result | undefined> {
  const answer = await answerOrUndefined(send);
  if (answer === undefined) await takeNextTerm(view);
  return answer;
}
