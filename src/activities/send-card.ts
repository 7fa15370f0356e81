import { activityInfo } from '@temporalio/activity';
import type { SendOptions } from '../api/bank.ts';
import type { CardPayment } from '../api/cards.ts';
import { BankError } from '../api/errors.ts';
import { isCardEnd } from '../domain/card-payment.ts';
import type { CardSendResult } from '../domain/card-sending.ts';
import type { SentCardRequest } from '../domain/sent-order.ts';
import { inDoubt } from '../domain/submission.ts';
import type { SendAttempt, Store } from '../store/store.ts';
import { viewOf } from './card-view.ts';
import { raiseFence, resultOfError } from './submit.ts';

/** What every POST about a card payment shares. */
export interface CardAttempt {
  merchantRequestId: string;
  /** merchant_request_id on the wire. */
  requestId: string;
  attempt: number;
  /** Attempts of other runs in doubt under this id that this run knows of; default none. */
  othersKnown?: number;
  /** Of the 3-D Secure session; null without a set-up. */
  referenceId: string | null;
}

export interface CardSender {
  store: Store;
  now: () => number;
  assertIdentity(): Promise<void>;
}

/**
 * One attempt, one POST at most. The request id belongs to its intent and the attempt is recorded before the first byte
 * leaves; a conflict on (request id, attempt) means another sender had this number, and nothing is sent. Nothing is sent
 * either where another run has sent that this one has not heard of: it was reset, and its history lacks what was done.
 * Nothing of the request or the answer is in a failure: every way it can end is a return value.
 */
export async function sendCardOnce(
  sender: CardSender,
  given: CardAttempt,
  post: (options: SendOptions) => Promise<CardPayment>,
): Promise<CardSendResult> {
  const { store, now, assertIdentity } = sender;
  const { merchantRequestId, requestId, attempt } = given;
  const beforeFirstByte = raiseFence();
  try {
    await assertIdentity();
    const record = await store.cards.get(merchantRequestId);
    if (record !== undefined && isCardEnd(record.state)) return { outcome: 'ended' };
    await store.cards.addRequest(requestId, merchantRequestId);
    const { activityId } = activityInfo();
    const runId = ownRun();
    const made = { reference: requestId, attempt, runId, activityId, sentAt: now() };
    const taken = await store.recordAttempt({ ...made, request: { referenceId: given.referenceId } });
    // Asked after the own record is in the store, so that of two senders at least one sees the other.
    const rival = await sentBefore(sender, given);
    if (rival !== undefined && taken) await store.finishAttempt(requestId, attempt, { outcome: 'not-sent' });
    if (rival !== undefined) return rival;
    if (!taken) return { outcome: 'ambiguous', why: 'another sender used this attempt' };
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

/**
 * What was sent under this id and this run has not heard of: an answer that was stored and never told, or what another run has
 * sent; undefined when there is neither.
 */
export async function sentBefore(
  { store, now }: Pick<CardSender, 'store' | 'now'>,
  { merchantRequestId, requestId, othersKnown = 0 }: CardAttempt,
): Promise<CardSendResult | undefined> {
  const made = inDoubt(await store.attempts(requestId));
  const accepted = made.findLast(({ orderId }: SendAttempt) => orderId !== null);
  const paymentId = accepted?.orderId;
  if (paymentId == null) {
    const others = made.filter(({ runId }: SendAttempt) => runId !== ownRun());
    if (others.length <= othersKnown) return undefined;
    return { outcome: 'ambiguous', why: 'another run has sent', barred: true };
  }
  // Its status is for a look to say.
  const payment = { paymentId, status: '', nextAction: null };
  const events = await store.cards.link(paymentId, merchantRequestId, now());
  return { outcome: 'answered', payment, events, referenceId: sessionOf(accepted) };
}

/** The 3-D Secure session of a recorded request. */
export const sessionOf = (attempt: SendAttempt | undefined): string | null =>
  (attempt?.request as unknown as SentCardRequest | null | undefined)?.referenceId ?? null;

const ownRun = (): string => activityInfo().workflowExecution?.runId ?? '';

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
