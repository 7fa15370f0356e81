import { condition } from '@temporalio/workflow';
import { judgeCard } from '../../domain/card-judgement.ts';
import { endOfStatus } from '../../domain/card-payment.ts';
import type { CardTerms } from '../../domain/card-terms.ts';
import { doublingPause } from '../../domain/policy.ts';
import { because, type ReasonCode } from '../../domain/reasons.ts';
import { askOperator } from './ask-operator.ts';
import { confirmByCardholder } from './confirm-by-cardholder.ts';
import { type Conclusion, type Following, hasNews, retryPause } from './following.ts';
import type { CardLife } from './life.ts';
import { lookAtPayment } from './look.ts';
import type { CardEnded } from './obtain-session.ts';

/**
 * Follows a payment to its end: the challenge of the cardholder, the resume, the wait for the event (interface section 3).
 * SUCCEEDED and FAILED count from a verified event or from retrieve alone; the answer of a POST only says where to go on.
 */
export async function followPayment(life: CardLife, terms: CardTerms, following: Following): Promise<Conclusion> {
  for (;;) {
    const expected = { ...life.expectation(), current: following.paymentId };
    const judged = judgeCard(life.events, [...life.looks.values()], expected);
    let asked: CardEnded | undefined;
    if ('conflict' in judged) asked = await askAbout(life, terms, following, judged.conflict, judged.detail);
    else if ('end' in judged) {
      const { end, paymentId } = judged;
      // An event ends it alone; one look compares what it does not say: amount and id.
      if (!life.looks.has(paymentId) && (await lookAtPayment(life, paymentId)) !== undefined) continue;
      if (life.looks.has(paymentId) || paymentId === following.paymentId) return endAs(life, end, paymentId);
      // It names a payment that is not the one followed, and that the acquirer does not show.
      asked = await askAbout(life, terms, following, 'payment-conflict');
    } else if (Date.now() - following.since >= terms.statusAgeLimitMs) {
      asked = await askAbout(life, terms, following, 'status-stuck-at-acquirer');
    } else if (life.paymentStatus === 'REQUIRES_ACTION') {
      const concluded = await confirmByCardholder(life, terms, following);
      if (concluded === 'unclear') asked = await askAbout(life, terms, following, 'status-stuck-at-acquirer');
      else if (concluded !== undefined) return concluded;
    } else await awaitEnd(life, terms, following);
    if (asked !== undefined) return asked;
  }
}

/** People say what to do, or it is looked at again: what they adopt is followed from there, or is the end. */
async function askAbout(
  life: CardLife,
  terms: CardTerms,
  following: Following,
  code: ReasonCode,
  detail?: string,
): Promise<CardEnded | undefined> {
  const answer = await askOperator(life, because(code, detail), terms.lookAgainMaxMs * 12);
  if (answer === 'closed') return { end: 'failed', reason: because('closed-by-operator') };
  if (answer === 'look') {
    await lookAtPayment(life, following.paymentId);
    return undefined;
  }
  const end = endOfStatus(life.looks.get(answer.adopt)?.status ?? '');
  if (end !== undefined) return endAs(life, end, answer.adopt);
  following.paymentId = answer.adopt;
  following.since = Date.now();
  life.follows(answer.adopt);
  return undefined;
}

/**
 * PROCESSING: an event says how it ended, or a look after the patience. A terminal word of an answer, and a payment that was
 * only named, are looked at at once.
 */
async function awaitEnd(life: CardLife, terms: CardTerms, following: Following): Promise<void> {
  const { paymentStatus } = life;
  const looksNow = paymentStatus === null || endOfStatus(paymentStatus) !== undefined;
  await life.enter('processing', life.state === 'processing' ? life.reason : null);
  if (!looksNow || following.quiet + following.failures > 0) {
    const patience = doublingPause(following.quiet, terms.patienceMs, terms.patienceMs * 32);
    const pause = following.failures > 0 ? retryPause(terms, following) : patience;
    if (!hasNews(life, following)) await condition(() => hasNews(life, following), pause);
    if (hasNews(life, following)) {
      following.quiet = 0;
      following.failures = 0;
      if (life.endHeard(following.paymentId)) return;
    }
  }
  following.heard = life.heard;
  const view = await lookAtPayment(life, following.paymentId);
  following.failures = view === undefined ? following.failures + 1 : 0;
  if (view !== undefined) following.quiet += 1;
}

function endAs(life: CardLife, end: 'succeeded' | 'failed', paymentId: string): CardEnded {
  life.paymentId = paymentId;
  return { end, reason: end === 'succeeded' ? null : because('card-declined') };
}
