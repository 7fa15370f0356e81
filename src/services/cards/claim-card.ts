import type { CardPaymentInput } from '../../domain/card-payment.ts';
import { cardDigest } from '../../identity.ts';
import type { CardClaimed } from '../../store/card-store.ts';
import type { ActivityDeps } from '../deps.ts';
import type { Caller } from '../sending/send-once.ts';

/** What identifies a card payment, and who asked for it. */
export type CardAsked = Pick<CardPaymentInput, 'merchant_request_id' | 'amount' | 'currency' | 'payment_type' | 'by'>;

/** Claims it for a run, in a store that is known to be the right one. */
export async function claimCard(
  deps: ActivityDeps,
  { workflowId, runId }: Caller,
  { merchant_request_id: id, amount, currency, payment_type: paymentType, by }: CardAsked,
): Promise<CardClaimed> {
  await deps.assertIdentity();
  const digest = cardDigest({ merchant_request_id: id, amount, currency, payment_type: paymentType });
  return deps.store.cards.claim({
    ...{ merchantRequestId: id, workflowId, amount, currency, paymentType, digest, by: by ?? null, runId },
    at: deps.now(),
  });
}
