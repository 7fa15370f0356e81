import { condition } from '@temporalio/workflow';
import type { CardPaymentView } from '../../domain/card-payment.ts';
import type { Reason } from '../../domain/payout-state.ts';
import { accepted, noted, refused } from '../execution.ts';
import type { ResolveAnswer, ResolveCardUpdate } from '../messages.ts';
import { checks } from '../proxies.ts';
import type { CardExecution } from './execution.ts';

/** Result of asking people: they said what to do, or something was received, or it is time to query again. */
type OperatorAnswer = 'read' | 'closed' | { adopt: string };

/**
 * Hands the payment to people, who answer with the update `resolve`; anything received meanwhile, and `pollEveryMs`, end the wait
 * too. Answers are checked against the acquirer: nothing that it shows as taken or in progress is closed as unpaid, what it has
 * never shown only by two people, and a payment is adopted only if it is shown and belongs to no other intent.
 */
export async function askOperator(
  execution: CardExecution,
  reason: Reason,
  pollEveryMs: number,
): Promise<OperatorAnswer> {
  await execution.enter('needs-operator', reason);
  const { received } = execution;
  for (;;) {
    await condition(() => execution.received > received || execution.inbox.asked !== undefined, pollEveryMs);
    const pending = execution.inbox.asked;
    if (pending === undefined) return 'read';
    const { answer, leadsTo } = await considered(execution, pending.request);
    execution.inbox.answer(pending, answer);
    if (leadsTo !== undefined) return leadsTo;
  }
}

/** The answer to an operator, and what follows from the request. */
async function considered(
  execution: CardExecution,
  { action, by, paymentId = '' }: ResolveCardUpdate,
): Promise<{ answer: ResolveAnswer; leadsTo?: OperatorAnswer }> {
  if (action === 'keep-looking') return { answer: accepted('checking again'), leadsTo: 'read' };
  if (action === 'adopt-payment') {
    const refusal = await adoptionRefused(execution, paymentId);
    if (refusal !== undefined) return { answer: refused(refusal) };
    return { answer: accepted('follows this payment'), leadsTo: { adopt: paymentId } };
  }
  const refusal = execution.paymentId === null ? undefined : await closingRefused(execution, execution.paymentId, by);
  if (refusal !== undefined) return { answer: refused(refusal) };
  return { answer: accepted('closed as failed'), leadsTo: 'closed' };
}

/** Why a payment cannot be adopted for this intent; undefined if it can. */
async function adoptionRefused(execution: CardExecution, paymentId: string): Promise<string | undefined> {
  const view = await shown(paymentId);
  if (view === undefined) return 'the acquirer does not show this payment now';
  if (view.merchantRequestId !== undefined && !execution.expected.requestIds.includes(view.merchantRequestId)) {
    return 'the acquirer shows it under another merchant_request_id';
  }
  const { merchantRequestId } = execution;
  const isOurs = await checks.claimPayment({ merchantRequestId, paymentId }).catch(() => undefined);
  if (isOurs === undefined) return 'the store does not answer now';
  if (!isOurs) return 'it is the payment of another merchant_request_id';
  execution.saw(view);
  return undefined;
}

/**
 * Why a payment cannot be closed as unpaid; undefined if the acquirer shows it as failed, or as not confirmed and never resumed,
 * or if it has never shown it and two people say so.
 */
async function closingRefused(execution: CardExecution, paymentId: string, by: string): Promise<string | undefined> {
  const view = await shown(paymentId);
  if (view === undefined) {
    if (execution.isRead(paymentId)) return 'the acquirer does not answer: nobody knows that nothing was taken';
    return execution.people.agree(`close ${paymentId}`, by) ? undefined : noted('the acquirer has never shown it');
  }
  if (view.status === 'FAILED' || (view.status === 'REQUIRES_ACTION' && !execution.position.resumed)) return undefined;
  return `the acquirer shows ${view.status}`;
}

const shown = (paymentId: string): Promise<CardPaymentView | undefined> =>
  checks.retrievePayment({ paymentId }).catch(() => undefined);
