import { condition } from '@temporalio/workflow';
import { type CardTerms, RESUMES_FOR_NOTICES } from '../../domain/card-terms.ts';
import { because } from '../../domain/reasons.ts';
import type { CardExecution } from './execution.ts';
import { type Conclusion, type Following, hasNews, retryPause } from './following.ts';
import { lookAtPayment } from './look.ts';
import { type OpenResume, resumePayment } from './resume-payment.ts';

/**
 * REQUIRES_ACTION: begins again with a set-up where there was none, or waits for the challenge, looks, and resumes; one round
 * of it for each call. `unclear`: a completed challenge, or a resume, of which nobody knows what became. Only a payment that
 * no resume was sent for can be abandoned, and only when retrieve still shows it open.
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

  const view = await lookAtPayment(execution, paymentId);
  following.failures = view === undefined ? following.failures + 1 : 0;
  if (view === undefined || view.status !== 'REQUIRES_ACTION') return undefined;
  if (isDue(execution, terms, following)) return resumeOnce(execution, terms, following);
  if (Date.now() < following.challengeUntil || execution.endHeard(paymentId)) return undefined;
  // Resumed, and the acquirer does not move; or completed as it says itself, and no id is left to resume it under.
  if (execution.resumed || execution.completions.noticed > following.served.noticed) return 'unclear';
  return { end: 'failed', reason: because('challenge-abandoned') };
}

/** Declined for want of a set-up: begun again only when retrieve, too, shows that nothing is under way. */
async function beginAgain(
  execution: CardExecution,
  terms: CardTerms,
  following: Following,
): Promise<Conclusion | undefined> {
  if (following.failures > 0) await pause(execution, following, retryPause(terms, following));
  following.heard = execution.heard;
  const view = await lookAtPayment(execution, following.paymentId);
  following.failures = view === undefined ? following.failures + 1 : 0;
  if (view?.status === 'REQUIRES_ACTION' && view.nextAction === null) return { restart: true };
  if (view?.nextAction != null) execution.declinedForSetUp = false;
  return undefined;
}

/** The challenge is completed as far as is known, and no resume was sent for that. */
function isCompleted(execution: CardExecution, { completion }: CardTerms, { served }: Following): boolean {
  const { noticed, claimed } = execution.completions;
  return noticed > served.noticed || (completion === 'notice-or-return' && claimed > served.claimed);
}

/**
 * A resume can be sent: the one that is open once more, or a new one. A browser's word gets no id that notices may need,
 * before the end of the time.
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
  // Asked for the challenge again, refused, or not answered: the next round takes its time.
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

/** Until something is heard that no look was made for, or the time is over. */
async function pause(execution: CardExecution, following: Following, ms: number): Promise<void> {
  if (!hasNews(execution, following)) await condition(() => hasNews(execution, following), ms);
}
