import type { ResumeInput } from '../domain/card-sending.ts';
import { viewOf } from '../services/cards/card-view.ts';
import { type PrepareCardInput, prepareCard } from '../services/cards/prepare-card.ts';
import { type RecordCardStateInput, recordCardState } from '../services/cards/record-card-state.ts';
import { resumePayment } from '../services/cards/resume-payment.ts';
import type { ActivityDeps } from '../services/deps.ts';
import { caller } from './caller.ts';

export interface ClaimPaymentInput {
  merchantRequestId: string;
  paymentId: string;
}

export const cardActivities = (deps: ActivityDeps) => ({
  prepareCard: (given: PrepareCardInput) => prepareCard(deps, caller(), given),
  recordCardState: (input: RecordCardStateInput) => recordCardState(deps, caller(), input),
  resumePayment: (input: ResumeInput) => resumePayment(deps, caller(), input),

  retrievePayment: async ({ paymentId }: { paymentId: string }) =>
    viewOf(await deps.bank.cards.retrieve(paymentId), paymentId),

  /** Links a payment to this intent; false if it belongs to another. */
  async claimPayment({ merchantRequestId, paymentId }: ClaimPaymentInput): Promise<boolean> {
    return (await deps.store.cards.linkPayment(paymentId, merchantRequestId, deps.now())) !== undefined;
  },
});
