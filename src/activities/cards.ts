import { forCaller } from './caller.ts';
import { viewOf } from './card-events.ts';
import { prepareCard, recordCardState, resumePayment } from './card-payments.ts';
import type { ActivityDeps } from './deps.ts';

export const cardActivities = (deps: ActivityDeps) => ({
  prepareCard: forCaller(deps, prepareCard),
  recordCardState: forCaller(deps, recordCardState),
  resumePayment: forCaller(deps, resumePayment),

  retrievePayment: async ({ paymentId }: { paymentId: string }) =>
    viewOf(await deps.bank.cards.retrieve(paymentId), paymentId),

  /** Links a payment to this intent; false if it belongs to another. */
  async claimPayment(asked: { merchantRequestId: string; paymentId: string }): Promise<boolean> {
    return (await deps.store.cards.linkPayment(asked.paymentId, asked.merchantRequestId, deps.now())) !== undefined;
  },
});
