import { condition } from '@temporalio/workflow';
import {
  type CardPaymentView,
  type CardSendResult,
  endOfStatus,
  judgeCard,
  RESUMES_FOR_NOTICES,
  type ResumeInput,
} from '../../domain/card-payment.ts';
import { compareDecimals, parseAmount } from '../../domain/money.ts';
import { because, type ReasonCode } from '../../domain/reasons.ts';
import { doublingPause } from '../../domain/time.ts';
import { claimPayment, sends } from '../proxies.ts';
import { askOperator } from './ask-operator.ts';
import type { CardEnded } from './create-payment.ts';
import { type CardExecution, EndedElsewhere, readPayment } from './execution.ts';

/**
 * Follows a payment to its end: the cardholder's challenge, the resume, the wait for the event (interface section 3). SUCCEEDED
 * and FAILED count only from a verified event or from retrieve; the answer of a POST only says how to continue.
 */
export async function followPayment(following: Following): Promise<Conclusion> {
  const { execution, payment } = following;
  for (;;) {
    const expected = { ...execution.expectation(), current: payment.paymentId };
    const judged = judgeCard(execution.events, execution.shownPayments, expected);
    let asked: CardEnded | undefined;
    if ('conflict' in judged) asked = await askAbout(following, judged.conflict, judged.detail);
    else if ('end' in judged) {
      const { end, paymentId } = judged;
      // An event alone ends it; one query compares what the event may not show: amount and id.
      if (!execution.views.has(paymentId) && (await readPayment(execution, paymentId)) !== undefined) continue;
      const isShown = execution.views.has(paymentId) || paymentId === payment.paymentId;
      if (isShown && (await isOurs(following, paymentId))) return endAs(execution, end, paymentId);
      // It names another payment than the one followed, which the acquirer does not show or another intent has.
      asked = await askAbout(following, 'payment-conflict');
    } else if (Date.now() - following.since >= execution.terms.statusAgeLimitMs) {
      asked = await askAbout(following, 'status-stuck-at-acquirer');
    } else if (execution.paymentStatus === 'REQUIRES_ACTION') {
      const concluded = await confirmByCardholder(following);
      if (concluded === 'unclear') asked = await askAbout(following, 'status-stuck-at-acquirer');
      else if (concluded !== undefined) return concluded;
    } else await awaitEnd(following);
    if (asked !== undefined) return asked;
  }
}

/** Whether a payment may end this intent: one that is not the followed one may not belong to another intent. */
async function isOurs({ execution, payment }: Following, paymentId: string): Promise<boolean> {
  const { merchantRequestId } = execution;
  if (paymentId === payment.paymentId) return true;
  return claimPayment({ merchantRequestId, paymentId }, 'takes the payment that was named');
}

/** People say what to do, or the payment is queried again. A payment they adopt is followed from then on, or ends the intent. */
async function askAbout(following: Following, code: ReasonCode, detail?: string): Promise<CardEnded | undefined> {
  const { execution, payment } = following;
  const answer = await askOperator(execution, because(code, detail), execution.terms.pollMaxMs * 12);
  if (answer === 'closed') return { end: 'failed', reason: because('closed-by-operator') };
  if (answer === 'read') {
    await readPayment(execution, payment.paymentId);
    return undefined;
  }
  const end = endOfStatus(execution.views.get(answer.adopt)?.status ?? '');
  if (end === 'succeeded') takeShownSum(execution, answer.adopt);
  if (end !== undefined) return endAs(execution, end, answer.adopt);
  payment.paymentId = answer.adopt;
  following.since = Date.now();
  execution.follows(answer.adopt);
  return undefined;
}

/** An adopted payment that took less, or another currency, counts as that for payouts that depend on it. Any excess is to be refunded. */
function takeShownSum(execution: CardExecution, paymentId: string): void {
  const { amount = '', currency = execution.currency } =
    execution.shownPayments.find((shown) => shown.paymentId === paymentId) ?? {};
  const isOther = currency !== execution.currency;
  const counts = isOther || compareDecimals(amount, execution.amount) === -1;
  if (parseAmount(amount, currency).ok && counts) execution.amount = amount;
  execution.currency = currency;
}

/**
 * PROCESSING: waits for the event that says how it ended, or queries after the patience. After a terminal status in an answer, or
 * if the payment was only named, it queries at once.
 */
async function awaitEnd(following: Following): Promise<void> {
  const { execution, payment } = following;
  const { paymentStatus, terms } = execution;
  const readsNow = paymentStatus === null || endOfStatus(paymentStatus) !== undefined;
  await execution.enter('processing', execution.state === 'processing' ? execution.reason : null);
  if (!readsNow || following.quiet + following.failures > 0) {
    const patience = doublingPause(following.quiet, terms.patienceMs, terms.patienceMs * 32);
    await following.pause(following.failures > 0 ? following.retryPause : patience);
    if (following.hasNews) {
      following.quiet = 0;
      following.failures = 0;
      if (execution.endReceived(payment.paymentId)) return;
    }
  }
  if ((await following.read()) !== undefined) following.quiet += 1;
}

function endAs(execution: CardExecution, end: 'succeeded' | 'failed', paymentId: string): CardEnded {
  execution.paymentId = paymentId;
  return { end, reason: end === 'succeeded' ? null : because('card-declined') };
}

/** What is needed to follow a payment. */
interface Followed {
  /** The payment_id followed; an operator may name another. */
  paymentId: string;
  /** Id of the 3DS session that it was made with; null without a setup or if unknown. */
  referenceId: string | null;
  /** Resume ids not used yet. */
  resumeIds: string[];
  /** The resume that is in progress or in doubt. */
  resume: OpenResume | undefined;
  /** It was sent without a 3DS setup and may start over with one. */
  mayRestart: boolean;
  /** Completions of the challenge for which a resume was sent. */
  served: { noticed: number; claimed: number };
}

/** A payment that is followed, and how far that has come. */
export class Following {
  readonly execution: CardExecution;
  readonly payment: Followed;
  /** Workflow time at which following it began, for the age limit. */
  since = Date.now();
  /** Queries since the last news. */
  quiet = 0;
  /** Queries and requests in a row that brought nothing: each makes the next pause longer. */
  failures = 0;
  /** Deadline for the cardholder; 0 before the challenge. */
  challengeUntil = 0;
  /** Value of `CardExecution.heard` at the last query. */
  private received = 0;

  constructor(execution: CardExecution, payment: Followed) {
    this.execution = execution;
    this.payment = payment;
  }

  /** Whether something was received since the last query. */
  get hasNews(): boolean {
    return this.execution.received > this.received;
  }

  /** Pause before retrying something that brought nothing. */
  get retryPause(): number {
    const { pollMs, pollMaxMs } = this.execution.terms;
    return doublingPause(Math.max(0, this.failures - 1), pollMs, pollMaxMs);
  }

  /** Waits until something is received that no query has covered, or the time is over. */
  async pause(ms: number): Promise<void> {
    if (!this.hasNews) await condition(() => this.hasNews, ms);
  }

  /** Queries the payment; undefined if the acquirer does not answer. */
  async read(): Promise<CardPaymentView | undefined> {
    this.received = this.execution.received;
    const view = await readPayment(this.execution, this.payment.paymentId);
    this.failures = view === undefined ? this.failures + 1 : 0;
    return view;
  }
}

export type Conclusion = CardEnded | { restart: true };

/**
 * Handles REQUIRES_ACTION, one round per call: starts over with a 3DS setup if there was none, or waits for the challenge,
 * queries, and resumes. `unclear`: nobody knows what became of a completed challenge or of a resume. A payment counts as
 * abandoned only if no resume was sent for it and retrieve still shows it open.
 */
async function confirmByCardholder(following: Following): Promise<Conclusion | 'unclear' | undefined> {
  const { execution, payment } = following;
  const { terms } = execution;
  if (execution.declinedForSetUp && payment.mayRestart) return beginAgain(following);
  following.challengeUntil ||= Date.now() + terms.deadlineMs;
  const asks = execution.asksForAction && execution.nextAction === null ? 'verify-url-refused' : 'cardholder-needed';
  if (payment.resume === undefined) await execution.enter('awaiting-cardholder', because(asks));

  const left = Math.max(1, following.challengeUntil - Date.now());
  if (following.failures > 0) await following.pause(following.retryPause);
  else if (!isDue(following)) await following.pause(execution.resumed ? terms.patienceMs : left);

  const view = await following.read();
  if (view === undefined || view.status !== 'REQUIRES_ACTION') return undefined;
  if (isDue(following)) return resumeOnce(following);
  if (Date.now() < following.challengeUntil || execution.endReceived(payment.paymentId)) return undefined;
  // Resumed, but the acquirer does not move; or it reported the completion, and no id is left for a resume.
  if (execution.resumed || isNoticed(following)) return 'unclear';
  return { end: 'failed', reason: because('challenge-abandoned') };
}

/** Declined because a 3DS setup was missing: starts over only if retrieve, too, shows that nothing is in progress. */
async function beginAgain(following: Following): Promise<Conclusion | undefined> {
  if (following.failures > 0) await following.pause(following.retryPause);
  const view = await following.read();
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

/** One merchant_request_id of a resume, kept until its request was answered or cleanly refused. */
export interface OpenResume {
  requestId: string;
  attempts: number;
  /** Number of attempts of earlier runs in doubt. */
  othersKnown: number;
  firstSentAt: number;
  /** An earlier resume may have been executed. */
  resumedBefore: boolean;
  /** An attempt of this one may have been executed. */
  inDoubt: boolean;
}

/**
 * Sends the create again for a payment whose challenge is completed (interface section 4, card flow 5). Returns `over` if the
 * request was answered or cleanly refused; an `open` one is repeated under the same id, never under another.
 */
async function resumePayment(
  execution: CardExecution,
  resume: OpenResume,
  payment: Pick<ResumeInput, 'paymentId' | 'referenceId'>,
): Promise<'over' | 'open'> {
  execution.show('resuming', execution.state === 'resuming' ? execution.reason : null);
  resume.attempts += 1;
  const result = await sendResume(execution, resume, payment);
  switch (result.outcome) {
    case 'answered':
      // If the challenge is requested again, the resume did nothing: the same id always gets the same answer.
      execution.resumed = resume.resumedBefore || result.payment.status !== 'REQUIRES_ACTION';
      for (const event of result.events) execution.receive(event);
      if (result.payment.paymentId === payment.paymentId) execution.answered(result.payment);
      // Another payment than the one resumed: what it took counts for this intent too.
      else await readPayment(execution, result.payment.paymentId);
      return 'over';
    case 'ended':
      throw new EndedElsewhere();
    case 'ambiguous':
      execution.resumed = true;
      resume.inDoubt = true;
      execution.note(`resume in doubt: ${result.why}`);
      return 'open';
    case 'refused':
      execution.note(`resume refused: ${result.why}`);
      return resume.inDoubt ? 'open' : 'over';
    case 'not-sent':
    case 'card-gone':
      return 'open';
  }
}

async function sendResume(
  execution: CardExecution,
  { requestId, attempts: attempt, othersKnown }: OpenResume,
  { paymentId, referenceId }: Parameters<typeof resumePayment>[2],
): Promise<CardSendResult> {
  const { merchantRequestId, amount, currency, ready } = execution;
  const { paymentType } = ready;
  const sent = { merchantRequestId, requestId, attempt, othersKnown, paymentId, amount, currency };
  const input: ResumeInput = { ...sent, referenceId, paymentType };
  return sends.resumePayment(input).catch(() => ({ outcome: 'ambiguous', why: 'the sender was lost' }));
}
