import { condition } from '@temporalio/workflow';
import { judgeCard } from '../../domain/card-judgement.ts';
import { endOfStatus } from '../../domain/card-payment.ts';
import type { CardTerms } from '../../domain/card-terms.ts';
import { doublingPause } from '../../domain/policy.ts';
import { because } from '../../domain/reasons.ts';
import { askOperator } from './ask-operator.ts';
import type { CardLife } from './life.ts';
import { lookAtPayment } from './look.ts';
import type { CardEnded } from './obtain-session.ts';
import { type Resumption, resumePayment } from './resume-payment.ts';

/** What a payment is followed with. */
export interface Followed {
  resumption: Resumption;
  /** Ids of its resumes that were not used yet. */
  resumeIds: string[];
  /** It may begin again with a set-up: it was sent without one. */
  mayRestart: boolean;
}

export type Conclusion = CardEnded | { restart: true } | { endedInStore: true };

/**
 * Follows a payment to its end: the challenge of the cardholder, the resume, the wait for the event (interface section 3).
 * SUCCEEDED and FAILED count from a verified event or from retrieve alone; the answer of a POST only says where to go on.
 */
export async function followPayment(life: CardLife, terms: CardTerms, followed: Followed): Promise<Conclusion> {
  const { resumption } = followed;
  const { paymentId } = resumption;
  const course = { since: Date.now(), quiet: 0, failures: 0, challengeUntil: 0, completions: 0 };
  for (;;) {
    const judged = judgeCard(life.events, [...life.looks.values()], { ...life.expectation(), current: paymentId });
    if ('conflict' in judged) {
      const answer = await askOperator(life, because(judged.conflict, judged.detail), () => false);
      if (answer === 'closed') return { end: 'failed', reason: because('closed-by-operator') };
      if (typeof answer === 'object') {
        const end = endOfStatus(life.looks.get(answer.adopt)?.status ?? '');
        if (end !== undefined) return endAs(life, end, answer.adopt);
      }
      await lookAtPayment(life, paymentId);
      continue;
    }
    if ('end' in judged) {
      if (life.looks.has(judged.paymentId)) return endAs(life, judged.end, judged.paymentId);
      // An event ends it alone; one look compares what it does not say: amount and id.
      if ((await lookAtPayment(life, judged.paymentId)) !== undefined) continue;
      if (judged.paymentId === paymentId) return endAs(life, judged.end, paymentId);
      // It names a payment that is not the one followed, and that the acquirer does not show.
      const { heard } = life;
      const answer = await askOperator(life, because('payment-conflict'), () => life.heard > heard);
      if (answer === 'closed') return { end: 'failed', reason: because('closed-by-operator') };
      continue;
    }
    if (Date.now() - course.since >= terms.statusAgeLimitMs) {
      const { heard } = life;
      const answer = await askOperator(life, because('status-stuck-at-acquirer'), () => life.heard > heard);
      if (answer === 'closed') return { end: 'failed', reason: because('closed-by-operator') };
      course.since = Date.now();
      await lookAtPayment(life, paymentId);
      continue;
    }
    if (life.paymentStatus === 'REQUIRES_ACTION') {
      const next = await confirmByCardholder(life, terms, followed, course);
      if (next !== undefined) return next;
    } else await awaitEnd(life, terms, paymentId, course);
  }
}

interface Course {
  /** Looks since the last news. */
  quiet: number;
  /** Looks in a row that had no answer. */
  failures: number;
  /** Until when the cardholder is waited for; 0 before the challenge. */
  challengeUntil: number;
  /** Completions of the challenge that a resume was sent for. */
  completions: number;
}

/**
 * PROCESSING: an event says how it ended, or a look after the patience. A terminal word of an answer, and a payment that was
 * only named, are looked at at once.
 */
async function awaitEnd(life: CardLife, terms: CardTerms, paymentId: string, course: Course): Promise<void> {
  const { heard } = life;
  const { paymentStatus } = life;
  const looksNow = paymentStatus === null || endOfStatus(paymentStatus) !== undefined;
  await life.enter('processing', life.state === 'processing' ? life.reason : null);
  if (!looksNow || course.quiet + course.failures > 0) {
    const patience = doublingPause(course.quiet, terms.patienceMs, terms.patienceMs * 32);
    await condition(() => life.heard > heard, course.failures > 0 ? retryPause(terms, course.failures) : patience);
    if (life.heard > heard) {
      course.quiet = 0;
      course.failures = 0;
      if (life.events.at(-1)?.trust === 'verified' && life.endHeard(paymentId)) return;
    }
  }
  const view = await lookAtPayment(life, paymentId);
  course.failures = view === undefined ? course.failures + 1 : 0;
  if (view !== undefined) course.quiet += 1;
}

const retryPause = ({ lookAgainMs, lookAgainMaxMs }: CardTerms, failures: number): number =>
  doublingPause(failures - 1, lookAgainMs, lookAgainMaxMs);

/** REQUIRES_ACTION: a set-up where there was none, or the challenge of the cardholder, then the resume. */
async function confirmByCardholder(
  life: CardLife,
  terms: CardTerms,
  followed: Followed,
  course: Course,
): Promise<Conclusion | undefined> {
  const { resumption, resumeIds } = followed;
  const { paymentId } = resumption;
  if (!life.asksForAction && followed.mayRestart) {
    // Declined for want of a set-up. Begun again only when retrieve, too, shows that nothing is under way.
    const view = await lookAtPayment(life, paymentId);
    if (view?.status === 'REQUIRES_ACTION' && view.nextAction === null) return { restart: true };
    if (view === undefined) await pauseUnlessNews(life, retryPause(terms, ++course.failures));
    return undefined;
  }
  course.challengeUntil ||= Date.now() + terms.deadlineMs;
  await life.enter(
    'awaiting-cardholder',
    because(life.nextAction === null ? 'verify-url-refused' : 'cardholder-needed'),
  );
  const left = course.challengeUntil - Date.now();
  const pause = course.failures > 0 ? retryPause(terms, course.failures) : Math.max(1, left);
  if (completionsOf(life, terms) <= course.completions) await pauseUnlessNews(life, pause);

  const view = await lookAtPayment(life, paymentId);
  course.failures = view === undefined ? course.failures + 1 : 0;
  if (view === undefined || view.status !== 'REQUIRES_ACTION') return undefined;
  const completions = completionsOf(life, terms);
  const requestId = completions > course.completions ? resumeIds[0] : undefined;
  if (requestId !== undefined) {
    course.completions = completions;
    resumeIds.shift();
    switch (await resumePayment(life, terms, requestId, resumption)) {
      case 'ended-in-store':
        return { endedInStore: true };
      case 'closed':
        return { end: 'failed', reason: because('closed-by-operator') };
      case 'look':
        return undefined;
    }
  }
  if (Date.now() < course.challengeUntil || life.endHeard(paymentId)) return undefined;
  return { end: 'failed', reason: because('challenge-abandoned') };
}

const completionsOf = (life: CardLife, { completion }: CardTerms): number =>
  life.completions(completion === 'notice-or-return');

async function pauseUnlessNews(life: CardLife, ms: number): Promise<void> {
  const { heard } = life;
  await condition(() => life.heard > heard, ms);
}

function endAs(life: CardLife, end: 'succeeded' | 'failed', paymentId: string): CardEnded {
  life.paymentId = paymentId;
  return { end, reason: end === 'succeeded' ? null : because('card-declined') };
}
