import { condition } from '@temporalio/workflow';
import { type CardTerms, RESUMES_FOR_NOTICES } from '../../domain/card-terms.ts';
import { because } from '../../domain/reasons.ts';
import type { CardExecution } from './execution.ts';
import { type Conclusion, type Following, hasNews, retryPause } from './following.ts';
import { type OpenResume, resumePayment } from './resume-payment.ts';
import { readPayment } from './retrieve-payment.ts';

/**
 * Handles REQUIRES_ACTION, one round per call: starts over with a 3DS setup if there was none, or waits for the challenge,
 * queries, and resumes. `unclear`: nobody knows what became of a completed challenge or of a resume. A payment counts as
 * abandoned only if no resume was sent for it and retrieve still shows it open.
 */
export async function confirmByCardholder(
  execution: CardExecution,
  terms: CardTerms,
  following: Following,
): Promise<Conclusion | 'unclear' | undefined> {
  const { paymentId } = following;
  if (execution.declinedForSetUp && following.mayRestart) return beginAgain(execution, terms, following);
  following.challengeUntil ||= Date.now() + terms.deadlineMs;
  const asks = execution.asksForAction && execution.nextAction === null ? 'verify-url-refused' : 'cardholder-needed';
  if (following.resume === undefined) await execution.enter('awaiting-cardholder', because(asks));

  const left = Math.max(1, following.challengeUntil - Date.now());
  if (following.failures > 0) await pause(execution, following, retryPause(terms, following));
  else if (!isDue(execution, terms, following))
    await pause(execution, following, execution.resumed ? terms.patienceMs : left);
  following.heard = execution.heard;

  const view = await readPayment(execution, paymentId);
  following.failures = view === undefined ? following.failures + 1 : 0;
  if (view === undefined || view.status !== 'REQUIRES_ACTION') return undefined;
  if (isDue(execution, terms, following)) return resumeOnce(execution, terms, following);
  if (Date.now() < following.challengeUntil || execution.endHeard(paymentId)) return undefined;
  // Resumed, but the acquirer does not move; or it reported the completion, and no id is left for a resume.
  if (execution.resumed || execution.completions.noticed > following.served.noticed) return 'unclear';
  return { end: 'failed', reason: because('challenge-abandoned') };
}

/** Declined because a 3DS setup was missing: starts over only if retrieve, too, shows that nothing is in progress. */
async function beginAgain(
  execution: CardExecution,
  terms: CardTerms,
  following: Following,
): Promise<Conclusion | undefined> {
  if (following.failures > 0) await pause(execution, following, retryPause(terms, following));
  following.heard = execution.heard;
  const view = await readPayment(execution, following.paymentId);
  following.failures = view === undefined ? following.failures + 1 : 0;
  if (view?.status === 'REQUIRES_ACTION' && view.nextAction === null) return { restart: true };
  if (view?.nextAction != null) execution.declinedForSetUp = false;
  return undefined;
}

/** Whether a completion is known for which no resume was sent. */
function isCompleted(execution: CardExecution, { completion }: CardTerms, { served }: Following): boolean {
  const { noticed, claimed } = execution.completions;
  return noticed > served.noticed || (completion === 'notice-or-return' && claimed > served.claimed);
}

/**
 * Whether a resume can be sent: the open one again, or a new one. Before the deadline, a browser's return gets no id that notices
 * may need.
 */
function isDue(execution: CardExecution, terms: CardTerms, following: Following): boolean {
  if (following.resume !== undefined) return true;
  if (!isCompleted(execution, terms, following)) return false;
  const isNoticed = execution.completions.noticed > following.served.noticed;
  const isLate = Date.now() >= following.challengeUntil;
  return following.resumeIds.length > (isNoticed || isLate ? 0 : RESUMES_FOR_NOTICES);
}

async function resumeOnce(
  execution: CardExecution,
  terms: CardTerms,
  following: Following,
): Promise<'unclear' | undefined> {
  following.served = execution.completions;
  following.resume ??= opened(execution, following.resumeIds.shift() ?? '');
  const { resume } = following;
  if (resume.inDoubt && Date.now() - resume.firstSentAt >= terms.repeatWindowMs) return 'unclear';
  const outcome = await resumePayment(execution, resume, following.paymentId, following.resumption);
  if (outcome === 'over') following.resume = undefined;
  // Challenge requested again, refused, or not answered: the next round waits longer.
  if (outcome === 'open' || execution.paymentStatus === 'REQUIRES_ACTION') following.failures += 1;
  if (outcome === 'open' && !resume.inDoubt) execution.show('resuming', because('acquirer-unreachable'));
  return undefined;
}

const opened = ({ resumed }: CardExecution, requestId: string): OpenResume => ({
  requestId,
  resumedBefore: resumed,
  attempts: 0,
  othersKnown: 0,
  firstSentAt: Date.now(),
  inDoubt: false,
});

/** Waits until something is heard that no query has covered, or the time is over. */
async function pause(execution: CardExecution, following: Following, ms: number): Promise<void> {
  if (!hasNews(execution, following)) await condition(() => hasNews(execution, following), ms);
}
