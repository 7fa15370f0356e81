import { condition } from '@temporalio/workflow';
import type { CardPaymentType } from '../../domain/card-payment.ts';
import type { CardSendResult, ResumeInput } from '../../domain/card-sending.ts';
import type { CardTerms } from '../../domain/card-terms.ts';
import { doublingPause } from '../../domain/policy.ts';
import { because } from '../../domain/reasons.ts';
import { read, sends } from '../proxies.ts';
import { askOperator } from './ask-operator.ts';
import type { CardLife } from './life.ts';
import { lookAtPayment } from './look.ts';

/** What every resume of one payment has in common. */
export interface Resumption {
  paymentId: string;
  referenceId: string | null;
  paymentType: CardPaymentType;
  runId: string;
  workflowId: string;
}

export type Resumed = 'look' | 'ended-in-store' | 'closed';

/**
 * Sends the create again for a payment whose challenge is completed (interface section 4, card flow 5), under an id of its
 * own. A lost answer is looked for with retrieve first, and repeated under the same id only while the payment still asks for
 * the challenge.
 */
export async function resumePayment(
  life: CardLife,
  terms: CardTerms,
  requestId: string,
  resumption: Resumption,
): Promise<Resumed> {
  life.show('resuming');
  const firstSentAt = Date.now();
  let inDoubt = false;
  for (let attempt = 1; ; attempt += 1) {
    const result = await sendResume(life, requestId, attempt, resumption);
    switch (result.outcome) {
      case 'answered':
        for (const event of result.events) life.hear(event);
        if (result.payment.paymentId === resumption.paymentId) life.answered(result.payment);
        return 'look';
      case 'ended':
        return 'ended-in-store';
      case 'refused':
        // Not completed, or not any more: the payment itself says which.
        if (!inDoubt) return 'look';
        break;
      case 'ambiguous':
        inDoubt = true;
        break;
      case 'not-sent':
      case 'card-gone':
        break;
    }
    const { heard } = life;
    await condition(
      () => life.heard > heard,
      doublingPause(attempt - 1, Math.ceil(terms.lookAgainMs / 5), terms.lookAgainMaxMs),
    );
    const view = await lookAtPayment(life, resumption.paymentId);
    if (life.heard > heard || (view !== undefined && view.status !== 'REQUIRES_ACTION')) return 'look';
    if (inDoubt && Date.now() - firstSentAt >= terms.repeatWindowMs) {
      const answer = await askOperator(life, because('payment-outcome-unknown'), () => life.heard > heard);
      return answer === 'closed' ? 'closed' : 'look';
    }
  }
}

async function sendResume(
  life: CardLife,
  requestId: string,
  attempt: number,
  { runId, ...resumption }: Resumption,
): Promise<CardSendResult> {
  const { merchantRequestId, amount, currency } = life;
  const input: ResumeInput = { merchantRequestId, requestId, attempt, amount, currency, ...resumption };
  try {
    return await sends.resumePayment(input);
  } catch {
    const unsent = await read('fenceAttempt', { reference: requestId, attempt, runId }, 'asks whether it was sent');
    return unsent ? { outcome: 'not-sent', why: 'never-began' } : { outcome: 'ambiguous', why: 'the sender was lost' };
  }
}
