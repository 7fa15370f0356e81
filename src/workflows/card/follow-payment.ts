import { endOfStatus, judgeCard } from '../../domain/card-payment.ts';
import { compareDecimals, parseAmount } from '../../domain/money.ts';
import { because, type ReasonCode } from '../../domain/reasons.ts';
import { doublingPause } from '../../domain/time.ts';
import { claimPayment } from '../proxies.ts';
import { askOperator } from './ask-operator.ts';
import { confirmByCardholder } from './confirm-by-cardholder.ts';
import type { CardExecution } from './execution.ts';
import type { Conclusion, Following } from './following.ts';
import type { CardEnded } from './obtain-session.ts';
import { readPayment } from './retrieve-payment.ts';

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
      if (!execution.looks.has(paymentId) && (await readPayment(execution, paymentId)) !== undefined) continue;
      const isShown = execution.looks.has(paymentId) || paymentId === payment.paymentId;
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
  const answer = await askOperator(execution, because(code, detail), execution.terms.lookAgainMaxMs * 12);
  if (answer === 'closed') return { end: 'failed', reason: because('closed-by-operator') };
  if (answer === 'look') {
    await readPayment(execution, payment.paymentId);
    return undefined;
  }
  const end = endOfStatus(execution.looks.get(answer.adopt)?.status ?? '');
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
  const looksNow = paymentStatus === null || endOfStatus(paymentStatus) !== undefined;
  await execution.enter('processing', execution.state === 'processing' ? execution.reason : null);
  if (!looksNow || following.quiet + following.failures > 0) {
    const patience = doublingPause(following.quiet, terms.patienceMs, terms.patienceMs * 32);
    await following.pause(following.failures > 0 ? following.retryPause : patience);
    if (following.hasNews) {
      following.quiet = 0;
      following.failures = 0;
      if (execution.endHeard(payment.paymentId)) return;
    }
  }
  if ((await following.look()) !== undefined) following.quiet += 1;
}

function endAs(execution: CardExecution, end: 'succeeded' | 'failed', paymentId: string): CardEnded {
  execution.paymentId = paymentId;
  return { end, reason: end === 'succeeded' ? null : because('card-declined') };
}
