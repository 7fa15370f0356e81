import type { CardSendResult, ResumeInput } from '../../domain/card-sending.ts';
import type { Caller } from '../../store/claimed-row.ts';
import type { ActivityDeps } from '../deps.ts';
import { sendCardOnce } from '../sending/send-card.ts';
import { viewOf } from './card-view.ts';

/** One POST that resumes a payment after its challenge. */
export const resumePayment = (deps: ActivityDeps, caller: Caller, input: ResumeInput): Promise<CardSendResult> =>
  sendCardOnce(deps, caller, input, async (options) => {
    const payment = await deps.bank.cards.resume(
      {
        merchantRequestId: input.requestId,
        paymentType: input.paymentType,
        amount: input.amount,
        currency: input.currency,
        paymentId: input.paymentId,
        referenceId: input.referenceId ?? undefined,
      },
      options,
    );
    const view = viewOf(payment, input.paymentId);
    const events = await deps.store.cards.linkPayment(view.paymentId, input.merchantRequestId, deps.now());
    if (events === undefined) throw new Error('the payment of another intent');
    return { payment: view, events };
  });
