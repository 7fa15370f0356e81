import { condition } from '@temporalio/workflow';
import {
  type CardPaymentView,
  type CardSendResult,
  endOfStatus,
  judgeCard,
  RESUMES_FOR_NOTICES,
  type ShownSum,
} from '../../domain/card-payment.ts';
import { compareDecimals, parseAmount } from '../../domain/money.ts';
import { because, type ReasonCode } from '../../domain/reasons.ts';
import { doublingPause } from '../../domain/time.ts';
import { claimPayment, sends } from '../proxies.ts';
import { askOperator } from './ask-operator.ts';
import { type CardExecution, EndedElsewhere, readPayment } from './execution.ts';
import type { OpenResume } from './position.ts';

/**
 * Follows a payment to its end, or to where it starts over: the cardholder's challenge, the resume, the wait for the event
 * (interface section 3). SUCCEEDED and FAILED count only from a verified event or from retrieve; the answer of a POST only says
 * how to continue.
 */
export async function followPayment(execution: CardExecution): Promise<void> {
  while (execution.phase.name === 'placed') {
    const { paymentId: current, since, status } = execution.phase;
    const expected = { ...execution.expected, current };
    const judged = judgeCard(execution.position.events, execution.shownPayments, expected);
    if ('conflict' in judged) await askAbout(execution, judged.conflict, judged.detail);
    else if ('end' in judged) await endAs(execution, judged);
    else if (Date.now() - since >= execution.terms.statusAgeLimitMs) await askAbout(execution, STUCK);
    else if (status === 'REQUIRES_ACTION') await confirmByCardholder(execution);
    else await awaitEnd(execution);
  }
}

const STUCK: ReasonCode = 'status-stuck-at-acquirer';

type JudgedEnd = Extract<ReturnType<typeof judgeCard>, { end: unknown }>;

/** An event alone ends it; one query compares what the event may not show: amount and id. */
async function endAs(execution: CardExecution, { end, paymentId }: JudgedEnd): Promise<void> {
  const { merchantRequestId, placed } = execution;
  if (!execution.isRead(paymentId) && (await readPayment(execution, paymentId)) !== undefined) return;
  const isOurs =
    paymentId === placed.paymentId ||
    (execution.isRead(paymentId) &&
      (await claimPayment({ merchantRequestId, paymentId }, 'takes the payment that was named')));
  // Otherwise it names another payment than the one followed, which the acquirer does not show or another intent has.
  if (isOurs) execution.ends(end, becauseOf(end), paymentId);
  else await askAbout(execution, 'payment-conflict');
}

const becauseOf = (end: JudgedEnd['end']) => (end === 'succeeded' ? null : because('card-declined'));

/** People say what to do, or the payment is queried again. A payment they adopt is followed from then on, or ends the intent. */
async function askAbout(execution: CardExecution, code: ReasonCode, detail?: string): Promise<void> {
  const answer = await askOperator(execution, because(code, detail), execution.terms.pollMaxMs * 12);
  if (answer === 'closed') return execution.ends('failed', because('closed-by-operator'));
  if (answer === 'read') return void (await readPayment(execution, execution.placed.paymentId));
  const shown = execution.shownPayments.find(({ paymentId }) => paymentId === answer.adopt);
  const end = endOfStatus(shown?.status ?? '');
  if (end === undefined) return execution.follows(answer.adopt);
  if (end === 'succeeded') takeShownSum(execution, shown);
  execution.ends(end, becauseOf(end), answer.adopt);
}

/** An adopted payment that took less, or another currency, counts as that for payouts that depend on it. Any excess is to be refunded. */
function takeShownSum(execution: CardExecution, shown: ShownSum = {}): void {
  const asked = execution.position;
  const amount = shown.amount ?? '';
  const currency = shown.currency ?? asked.currency;
  const counts = currency !== asked.currency || compareDecimals(amount, asked.amount) === -1;
  execution.changesSum(parseAmount(amount, currency).ok && counts ? amount : asked.amount, currency);
}

/**
 * PROCESSING: waits for the event that says how it ended, or queries after the patience. After a terminal status in an answer, or
 * if the payment was only named, it queries at once.
 */
async function awaitEnd(execution: CardExecution): Promise<void> {
  const { placed, terms } = execution;
  const readsNow = placed.status === null || endOfStatus(placed.status) !== undefined;
  await execution.enter('processing', execution.state === 'processing' ? execution.reason : null);
  if (!readsNow || placed.quiet + placed.failures > 0) {
    const patience = doublingPause(placed.quiet, terms.patienceMs, terms.patienceMs * 32);
    await pause(execution, placed.failures > 0 ? retryPause(execution) : patience);
    if (hasNews(execution)) {
      placed.quiet = 0;
      placed.failures = 0;
      if (execution.endReceived(placed.paymentId)) return;
    }
  }
  if ((await read(execution)) !== undefined) placed.quiet += 1;
}

/** Whether something was received since the last query. */
const hasNews = ({ received, placed }: CardExecution): boolean => received > placed.receivedBefore;

/** Waits until something is received that no query has covered, or the time is over. */
async function pause(execution: CardExecution, ms: number): Promise<void> {
  if (!hasNews(execution)) await condition(() => hasNews(execution), ms);
}

/** Pause before retrying something that brought nothing. */
const retryPause = ({ placed, terms }: CardExecution): number =>
  doublingPause(Math.max(0, placed.failures - 1), terms.pollMs, terms.pollMaxMs);

/** Queries the followed payment; undefined if the acquirer does not answer. */
async function read(execution: CardExecution): Promise<CardPaymentView | undefined> {
  const { placed } = execution;
  placed.receivedBefore = execution.received;
  const view = await readPayment(execution, placed.paymentId);
  placed.failures = view === undefined ? placed.failures + 1 : 0;
  return view;
}

/**
 * Handles REQUIRES_ACTION, one round per call: starts over with a 3DS setup if there was none, or waits for the challenge,
 * queries, and resumes. People are asked if nobody knows what became of a completed challenge or of a resume. A payment counts as
 * abandoned only if no resume was sent for it and retrieve still shows it open.
 */
async function confirmByCardholder(execution: CardExecution): Promise<void> {
  const { placed, position, terms } = execution;
  if (placed.action === 'set-up' && execution.skipsSetUp) return beginAgain(execution);
  placed.challengeUntil ||= Date.now() + terms.deadlineMs;
  const asks = placed.action === 'unusable' ? 'verify-url-refused' : 'cardholder-needed';
  if (position.resume === undefined) await execution.enter('awaiting-cardholder', because(asks));

  const left = Math.max(1, placed.challengeUntil - Date.now());
  if (placed.failures > 0) await pause(execution, retryPause(execution));
  else if (!isDue(execution)) await pause(execution, position.resumed ? terms.patienceMs : left);

  const view = await read(execution);
  if (view === undefined || view.status !== 'REQUIRES_ACTION') return;
  if (isDue(execution)) return resumeOnce(execution);
  if (Date.now() < placed.challengeUntil || execution.endReceived(placed.paymentId)) return;
  // Resumed, but the acquirer does not move; or it reported the completion, and no id is left for a resume.
  if (position.resumed || isNoticed(execution)) return askAbout(execution, STUCK);
  execution.ends('failed', because('challenge-abandoned'));
}

/** Declined because a 3DS setup was missing: starts over only if retrieve, too, shows that nothing is in progress. */
async function beginAgain(execution: CardExecution): Promise<void> {
  if (execution.placed.failures > 0) await pause(execution, retryPause(execution));
  const view = await read(execution);
  if (view?.status === 'REQUIRES_ACTION' && view.nextAction === null) execution.beginsAgain();
}

/** Whether a notice of a completion is known for which no resume was sent. */
const isNoticed = ({ completions, placed }: CardExecution): boolean => completions.noticed > placed.served.noticed;

/** The same of a completion that only the browser or an unverified notice claims, if that is enough. */
const isClaimed = ({ completions, placed, terms }: CardExecution): boolean =>
  terms.completion === 'notice-or-return' && completions.claimed > placed.served.claimed;

/**
 * Whether a resume can be sent: the open one again, or a new one. Before the deadline, a browser's return gets no id that notices
 * may need.
 */
function isDue(execution: CardExecution): boolean {
  const { position, placed, ready } = execution;
  const resumesLeft = ready.requestIds.resume.length - position.resumes;
  if (position.resume !== undefined) return true;
  if (isNoticed(execution)) return resumesLeft > 0;
  if (!isClaimed(execution)) return false;
  const isLate = Date.now() >= placed.challengeUntil;
  return resumesLeft > (isLate ? 0 : RESUMES_FOR_NOTICES);
}

async function resumeOnce(execution: CardExecution): Promise<void> {
  const { placed, position, terms } = execution;
  placed.served = execution.completions;
  position.resume ??= begunResume(execution);
  const { resume } = position;
  if (resume.inDoubt && Date.now() - resume.firstSentAt >= terms.repeatWindowMs) return askAbout(execution, STUCK);
  const isOver = await resumePayment(execution, resume);
  if (isOver) Object.assign(position, { resume: undefined, resumes: position.resumes + 1 });
  // Challenge requested again, refused, or not answered: the next round waits longer.
  if (!isOver || placed.status === 'REQUIRES_ACTION') placed.failures += 1;
  if (!isOver && !resume.inDoubt) execution.show('resuming', because('acquirer-unreachable'));
}

const begunResume = ({ position }: CardExecution): OpenResume => ({
  ...{ attempts: 0, othersKnown: 0, firstSentAt: Date.now(), resumedBefore: position.resumed, inDoubt: false },
});

/**
 * Sends the create again for a payment whose challenge is completed (interface section 4, card flow 5). Returns whether the
 * request was answered or cleanly refused; otherwise it is repeated under the same id, never under another.
 */
async function resumePayment(execution: CardExecution, resume: OpenResume): Promise<boolean> {
  const { position, placed } = execution;
  execution.show('resuming', execution.state === 'resuming' ? execution.reason : null);
  resume.attempts += 1;
  const result = await sendResume(execution, resume);
  switch (result.outcome) {
    case 'answered':
      // If the challenge is requested again, the resume did nothing: the same id always gets the same answer.
      position.resumed = resume.resumedBefore || result.payment.status !== 'REQUIRES_ACTION';
      for (const event of result.events) execution.receive(event);
      if (result.payment.paymentId === placed.paymentId) execution.answered(result.payment);
      // Another payment than the one resumed: what it took counts for this intent too.
      else await readPayment(execution, result.payment.paymentId);
      return true;
    case 'ended':
      throw new EndedElsewhere();
    case 'ambiguous':
      position.resumed = true;
      resume.inDoubt = true;
      execution.note(`resume in doubt: ${result.why}`);
      return false;
    case 'refused':
      execution.note(`resume refused: ${result.why}`);
      return !resume.inDoubt;
    case 'not-sent':
    case 'card-gone':
      return false;
  }
}

async function sendResume(
  { merchantRequestId, position, placed, ready }: CardExecution,
  { attempts: attempt, othersKnown }: OpenResume,
): Promise<CardSendResult> {
  const { amount, currency } = position;
  const { paymentId, referenceId } = placed;
  const requestId = ready.requestIds.resume[position.resumes] ?? '';
  const sent = { merchantRequestId, requestId, attempt, othersKnown, paymentId, amount, currency };
  const input = { ...sent, referenceId, paymentType: ready.paymentType };
  return sends.resumePayment(input).catch(() => ({ outcome: 'ambiguous', why: 'the sender was lost' }));
}
