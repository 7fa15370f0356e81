import type { CardSendResult, ResumeInput } from '../../domain/card-payment.ts';
import { sends } from '../proxies.ts';
import { type CardExecution, EndedElsewhere } from './execution.ts';
import { readPayment } from './retrieve-payment.ts';

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
export async function resumePayment(
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
      for (const event of result.events) execution.hear(event);
      if (result.payment.paymentId === payment.paymentId) execution.answered(result.payment);
      // Another payment than the one resumed: whatever it took counts for this intent too.
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
