import { RESUMES_FOR_NOTICES } from '../../domain/card-payment.ts';
import { because } from '../../domain/reasons.ts';
import type { CardExecution } from './execution.ts';
import type { Conclusion, Following } from './following.ts';
import { type OpenResume, resumePayment } from './resume-payment.ts';

/**
 * Handles REQUIRES_ACTION, one round per call: starts over with a 3DS setup if there was none, or waits for the challenge,
 * queries, and resumes. `unclear`: nobody knows what became of a completed challenge or of a resume. A payment counts as
 * abandoned only if no resume was sent for it and retrieve still shows it open.
 */
export async function confirmByCardholder(following: Following): Promise<Conclusion | 'unclear' | undefined> {
  const { execution, payment } = following;
  const { terms } = execution;
  if (execution.declinedForSetUp && payment.mayRestart) return beginAgain(following);
  following.challengeUntil ||= Date.now() + terms.deadlineMs;
  const asks = execution.asksForAction && execution.nextAction === null ? 'verify-url-refused' : 'cardholder-needed';
  if (payment.resume === undefined) await execution.enter('awaiting-cardholder', because(asks));

  const left = Math.max(1, following.challengeUntil - Date.now());
  if (following.failures > 0) await following.pause(following.retryPause);
  else if (!isDue(following)) await following.pause(execution.resumed ? terms.patienceMs : left);

  const view = await following.look();
  if (view === undefined || view.status !== 'REQUIRES_ACTION') return undefined;
  if (isDue(following)) return resumeOnce(following);
  if (Date.now() < following.challengeUntil || execution.endHeard(payment.paymentId)) return undefined;
  // Resumed, but the acquirer does not move; or it reported the completion, and no id is left for a resume.
  if (execution.resumed || isNoticed(following)) return 'unclear';
  return { end: 'failed', reason: because('challenge-abandoned') };
}

/** Declined because a 3DS setup was missing: starts over only if retrieve, too, shows that nothing is in progress. */
async function beginAgain(following: Following): Promise<Conclusion | undefined> {
  if (following.failures > 0) await following.pause(following.retryPause);
  const view = await following.look();
  if (view?.status === 'REQUIRES_ACTION' && view.nextAction === null) return { restart: true };
  if (view?.nextAction != null) following.execution.declinedForSetUp = false;
  return undefined;
}

/** Whether a notice of a completion is known for which no resume was sent. */
const isNoticed = ({ execution, payment }: Following): boolean =>
  execution.completions.noticed > payment.served.noticed;

/** The same of a completion that only the browser or an unverified notice claims, if that is enough. */
const isClaimed = ({ execution, payment }: Following): boolean =>
  execution.terms.completion === 'notice-or-return' && execution.completions.claimed > payment.served.claimed;

/**
 * Whether a resume can be sent: the open one again, or a new one. Before the deadline, a browser's return gets no id that notices
 * may need.
 */
function isDue(following: Following): boolean {
  const { resume, resumeIds } = following.payment;
  if (resume !== undefined) return true;
  if (isNoticed(following)) return resumeIds.length > 0;
  if (!isClaimed(following)) return false;
  const isLate = Date.now() >= following.challengeUntil;
  return resumeIds.length > (isLate ? 0 : RESUMES_FOR_NOTICES);
}

async function resumeOnce(following: Following): Promise<'unclear' | undefined> {
  const { execution, payment } = following;
  payment.served = execution.completions;
  payment.resume ??= opened(execution, payment.resumeIds.shift() ?? '');
  const { resume } = payment;
  if (resume.inDoubt && Date.now() - resume.firstSentAt >= execution.terms.repeatWindowMs) return 'unclear';
  const outcome = await resumePayment(execution, resume, payment);
  if (outcome === 'over') payment.resume = undefined;
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
