import type { SendOptions } from '../../bank/call-options.ts';
import { bankSays } from '../../domain/bank-condition.ts';
import { type CardEvent, type CardPaymentView, isCardEnd } from '../../domain/card-payment.ts';
import type { CardPost, CardSendResult } from '../../domain/card-sending.ts';
import type { SentCardRequest } from '../../domain/sent-order.ts';
import { type AttemptResult, inDoubt } from '../../domain/submission.ts';
import type { Caller, Sender } from '../../store/claimed-row.ts';
import type { SendAttempt } from '../../store/store.ts';
import { eventOf } from '../card-events/deliver.ts';
import { sendOnce } from './send-once.ts';

interface CardAttempt extends Omit<CardPost, 'amount' | 'currency' | 'paymentType'> {
  /** Number of attempts in doubt by other runs under this id that this run knows of; default 0. */
  othersKnown?: number;
  /** For a create: payment_ids of the intent known to have taken nothing. */
  over?: readonly string[];
  /** For a create: request ids of other creates of the intent that may have been sent. */
  rivals?: readonly string[];
}

/** The payment that answers a POST, linked to its intent, and the events that came before. */
export interface PostedPayment {
  payment: CardPaymentView;
  events: CardEvent[];
}

/**
 * One attempt by the send protocol. Registers the request id for its intent before the attempt is recorded. Sends nothing if
 * another run has sent something this run does not know of: it was reset and its history lacks that. Every outcome is a return
 * value, so no failure can hold request or answer data.
 */
export async function sendCardOnce(
  sender: Sender,
  caller: Caller,
  given: CardAttempt,
  post: (options: SendOptions) => Promise<PostedPayment>,
): Promise<CardSendResult> {
  const { store } = sender;
  const { merchantRequestId, requestId: reference, attempt, referenceId } = given;
  let posted: PostedPayment | undefined;
  const result = await sendOnce<null, CardSendResult>(sender, caller, {
    refusedByStatus: true,
    async admit() {
      const record = await store.cards.get(merchantRequestId);
      if (record !== undefined && isCardEnd(record.state)) return { held: { outcome: 'ended' } };
      await store.cards.addRequest(reference, merchantRequestId);
      return { reference, attempt, request: null, record: { referenceId } };
    },
    // Asked after our own record is stored, so that of two senders at least one sees the other.
    stoppedBy: async () => (await sentBefore(sender, caller, given)) ?? rivalOf(sender, given),
    async post(_request, options) {
      posted = await post(options);
      return posted.payment.paymentId;
    },
  });
  if (posted !== undefined) return { outcome: 'answered', payment: posted.payment, events: posted.events.map(eventOf) };
  if (result.outcome === 'ambiguous') return (await sentBefore(sender, caller, given)) ?? result;
  return isCardResult(result) ? result : plainResult(result);
}

/** Only an `AttemptResult` has a condition, an order id or `exists`. */
const isCardResult = (result: CardSendResult | AttemptResult): result is CardSendResult =>
  !('condition' in result) && !('orderId' in result) && result.outcome !== 'exists';

/** `unlisted`: refused by HTTP status alone. */
function plainResult(result: AttemptResult): CardSendResult {
  if (result.outcome !== 'refused') return { outcome: 'ambiguous', why: result.outcome };
  const { condition, code } = result;
  return { outcome: 'refused', why: condition === 'unlisted' ? `HTTP ${code}` : bankSays(condition, code) };
}

/**
 * What was sent under this id without this run knowing: a stored answer the workflow never received, or another run's attempt.
 * Undefined if neither.
 */
export async function sentBefore(
  { store, now }: Pick<Sender, 'store' | 'now'>,
  { runId: ownRunId }: Caller,
  { merchantRequestId, requestId, othersKnown = 0 }: CardAttempt,
): Promise<CardSendResult | undefined> {
  const made = inDoubt(await store.attempts(requestId));
  const accepted = made.findLast(({ orderId }: SendAttempt) => orderId !== null);
  const paymentId = accepted?.orderId;
  if (paymentId == null) {
    const others = made.filter(({ runId }: SendAttempt) => runId !== ownRunId);
    if (others.length <= othersKnown) return undefined;
    return { outcome: 'ambiguous', why: 'another run has sent', barred: true };
  }
  // The status is left to a query.
  const payment = { paymentId, status: '', nextAction: null };
  const events = (await store.cards.linkPayment(paymentId, merchantRequestId, now())) ?? [];
  return { outcome: 'answered', payment, events: events.map(eventOf), referenceId: sessionOf(accepted) };
}

/**
 * Another create of the intent that may take money: recorded under its own id and not known to be over. Both senders check after
 * storing their own record, so at least one sees the other.
 */
async function rivalOf(
  { store }: Pick<Sender, 'store'>,
  { requestId, over = [], rivals = [] }: CardAttempt,
): Promise<CardSendResult | undefined> {
  const others = await Promise.all(rivals.filter((id) => id !== requestId).map((id) => store.attempts(id)));
  const open = inDoubt(others.flat()).filter(({ orderId }) => orderId === null || !over.includes(orderId));
  if (open.length === 0) return undefined;
  return { outcome: 'ambiguous', why: 'another create of this payment may be under way', barred: true };
}

export const sessionOf = (attempt: SendAttempt | undefined): string | null =>
  (attempt?.request as unknown as SentCardRequest | null | undefined)?.referenceId ?? null;
