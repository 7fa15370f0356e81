import { activityInfo } from '@temporalio/activity';
import type { SendOptions } from '../api/bank.ts';
import type { CardPayment } from '../api/cards.ts';
import { BankError } from '../api/errors.ts';
import { isCardEnd } from '../domain/card-payment.ts';
import type { CardSendResult } from '../domain/card-sending.ts';
import type { Store } from '../store/store.ts';
import { viewOf } from './cards.ts';
import { raiseFence, resultOfError } from './submit.ts';

/** What every POST about a card payment shares. */
export interface CardAttempt {
  merchantRequestId: string;
  /** merchant_request_id on the wire. */
  requestId: string;
  attempt: number;
}

export interface CardSender {
  store: Store;
  now: () => number;
  assertIdentity(): Promise<void>;
}

/**
 * One attempt, one POST at most. The request id belongs to its intent and the attempt is recorded before the first byte
 * leaves; a conflict on (request id, attempt) means another sender had this number, and nothing is sent. Nothing of the
 * request or the answer is in a failure: every way it can end is a return value.
 */
export async function sendCardOnce(
  { store, now, assertIdentity }: CardSender,
  { merchantRequestId, requestId, attempt }: CardAttempt,
  post: (options: SendOptions) => Promise<CardPayment>,
): Promise<CardSendResult> {
  const beforeFirstByte = raiseFence();
  try {
    await assertIdentity();
    const record = await store.cards.get(merchantRequestId);
    if (record !== undefined && isCardEnd(record.state)) return { outcome: 'ended' };
    await store.cards.addRequest(requestId, merchantRequestId);
    const { workflowExecution, activityId } = activityInfo();
    const runId = workflowExecution?.runId ?? '';
    if (!(await store.recordAttempt({ reference: requestId, attempt, runId, activityId, sentAt: now() }))) {
      return { outcome: 'ambiguous', why: 'another sender used this attempt' };
    }
  } catch {
    // The store is out of reach: no byte has left.
    return { outcome: 'not-sent', why: 'store-unreachable' };
  }
  const result = await answerOf(post, beforeFirstByte);
  const paymentId = result.outcome === 'answered' ? result.payment.paymentId : undefined;
  const outcome = result.outcome === 'answered' ? 'accepted' : result.outcome;
  await store.finishAttempt(requestId, attempt, { outcome, orderId: paymentId });
  if (result.outcome !== 'answered' || paymentId === undefined) return result;
  return { ...result, events: await store.cards.link(paymentId, merchantRequestId, now()) };
}

type Sent = Exclude<CardSendResult, { outcome: 'card-gone' | 'ended' }>;

async function answerOf(
  post: (options: SendOptions) => Promise<CardPayment>,
  beforeFirstByte: () => void,
): Promise<Sent> {
  try {
    return { outcome: 'answered', payment: viewOf(await post({ beforeFirstByte })), events: [] };
  } catch (error) {
    // Refused by HTTP status alone (PAYOUTS_CARD_REFUSAL_STATUSES): there is no code.
    if (error instanceof BankError && error.outcome === 'refused' && error.code === undefined) {
      return { outcome: 'refused', why: `HTTP ${error.httpStatus}` };
    }
    const result = resultOfError(error);
    switch (result.outcome) {
      case 'not-sent':
        return { outcome: 'not-sent', why: result.why };
      case 'refused':
        return { outcome: 'refused', why: `code ${result.code}` };
      case 'ambiguous':
        return { outcome: 'ambiguous', why: result.why };
      case 'exists':
      case 'accepted':
        return { outcome: 'ambiguous', why: result.outcome };
    }
  }
}
