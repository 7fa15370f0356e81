import { condition } from '@temporalio/workflow';
import type { CardPaymentView } from '../../domain/card-payment.ts';
import type { Reason } from '../../domain/payout-state.ts';
import { checks } from '../proxies.ts';
import type { CardExecution, PendingCardResolve } from './execution.ts';

/** What followed from asking people: they said what to do, or something was heard, or it is time to look again. */
export type OperatorAnswer = 'look' | 'closed' | { adopt: string };

/**
 * Parks the payment for people, who answer with the update `resolve`; what is heard meanwhile, and `lookEveryMs`, lead on as
 * well. What people say is checked against the acquirer: nothing that may be taken or under way is closed as unpaid, and a
 * payment is adopted only when it is shown and is nobody else's.
 */
export async function askOperator(
  execution: CardExecution,
  reason: Reason,
  lookEveryMs: number,
): Promise<OperatorAnswer> {
  await execution.enter('needs-operator', reason);
  const { heard } = execution;
  for (;;) {
    await condition(() => execution.heard > heard || execution.resolves.length > 0, lookEveryMs);
    const [pending] = execution.resolves.splice(0, 1);
    if (pending === undefined) return 'look';
    const answer = await considered(execution, pending);
    if (answer !== undefined) return answer;
  }
}

async function considered(execution: CardExecution, pending: PendingCardResolve): Promise<OperatorAnswer | undefined> {
  const { action, paymentId } = pending.request;
  if (action === 'keep-looking') {
    pending.answer = { accepted: true, message: 'looking again' };
    return 'look';
  }
  if (action === 'adopt-payment') {
    const refusal = await adoptionRefused(execution, paymentId ?? '');
    pending.answer = { accepted: refusal === undefined, message: refusal ?? 'follows this payment' };
    return refusal === undefined ? { adopt: paymentId ?? '' } : undefined;
  }
  const refusal = execution.paymentId === null ? undefined : await closingRefused(execution, execution.paymentId);
  pending.answer = { accepted: refusal === undefined, message: refusal ?? 'closed as failed' };
  return refusal === undefined ? 'closed' : undefined;
}

/** Why a payment cannot be followed as this intent's. */
async function adoptionRefused(execution: CardExecution, paymentId: string): Promise<string | undefined> {
  const view = await shown(paymentId);
  if (view === undefined) return 'the acquirer does not show this payment now';
  if (view.merchantRequestId !== undefined && !execution.requestIds.includes(view.merchantRequestId)) {
    return 'the acquirer shows it under another merchant_request_id';
  }
  const { merchantRequestId } = execution;
  const isOurs = await checks.claimPayment({ merchantRequestId, paymentId }).catch(() => undefined);
  if (isOurs === undefined) return 'the store does not answer now';
  if (!isOurs) return 'it is the payment of another merchant_request_id';
  execution.saw(view);
  return undefined;
}

/** Why a payment cannot be closed as unpaid: only what the acquirer shows as unpaid, or as never confirmed, can. */
async function closingRefused(execution: CardExecution, paymentId: string): Promise<string | undefined> {
  const view = await shown(paymentId);
  if (view === undefined) return 'the acquirer does not answer: nobody knows that nothing was taken';
  if (view.status === 'FAILED' || (view.status === 'REQUIRES_ACTION' && !execution.resumed)) return undefined;
  return `the acquirer shows ${view.status}`;
}

const shown = (paymentId: string): Promise<CardPaymentView | undefined> =>
  checks.retrievePayment({ paymentId }).catch(() => undefined);
