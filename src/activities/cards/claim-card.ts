import type { CardPaymentInput } from '../../domain/card-payment.ts';
import { cardDigest } from '../../domain/identity.ts';
import { cardWorkflowId } from '../../domain/names.ts';
import type { CardClaimed } from '../../store/card-store.ts';
import type { Caller } from '../../store/claimed-row.ts';
import type { ActivityDeps } from '../deps.ts';

/** What identifies a card payment, and who asked for it. */
export type CardAsked = Pick<CardPaymentInput, 'merchant_request_id' | 'amount' | 'currency' | 'payment_type' | 'by'>;

export function claimOf({ merchant_request_id: merchantRequestId, payment_type: paymentType, ...asked }: CardAsked) {
  const { amount, currency, by = null } = asked;
  const identity = { merchantRequestId, amount, currency, paymentType };
  return { ...identity, workflowId: cardWorkflowId(merchantRequestId), by, digest: cardDigest(identity) };
}

/** Claims it for a run, in a store that is known to be the right one. */
export async function claimCard(deps: ActivityDeps, { runId }: Caller, asked: CardAsked): Promise<CardClaimed> {
  await deps.assertIdentity();
  return deps.store.cards.claim({ ...claimOf(asked), runId, at: deps.now() });
}
