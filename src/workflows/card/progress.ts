import type { CardPaymentInput } from '../../domain/card-payment.ts';
import type { Creation } from './create-payment.ts';
import type { CardExecution, ReadyCard } from './execution.ts';
import type { OpenResume } from './resume-payment.ts';

/** Progress of a payment, in this run or earlier ones. */
export interface CardProgress {
  /** Index of the create, from 0. */
  creations: number;
  creation: Creation;
  /** The payment it made, if known; followed once. */
  paymentId: string | undefined;
  /** Id of the 3DS session it was made with; null without a setup or if unknown. */
  referenceId: string | null;
  /** Whether it is, or was, made with a 3DS setup. */
  threeDs: 'setup' | 'skip';
  resumeIds: string[];
  resume: OpenResume | undefined;
  /** Completions of challenges that do not belong to this card. */
  served: { noticed: number; claimed: number };
}

/** Takes over what earlier runs sent, and what was heard about the payment they followed. Returns how far they came. */
export function takeOver(
  execution: CardExecution,
  ready: ReadyCard,
  { amount, three_ds: threeDs = 'setup' }: Partial<CardPaymentInput>,
): CardProgress {
  const { requestIds, earlier } = ready;
  execution.held = ready;
  // Unless the amount was changed in the meantime.
  if (execution.amount === amount) execution.amount = ready.amount;
  execution.requestIds.splice(0);
  execution.requestIds.push(...requestIds.create, ...requestIds.resume);
  execution.resumed = earlier?.resumed ?? false;
  for (const paymentId of earlier?.before ?? []) execution.over.add(paymentId);
  for (const event of earlier?.events ?? []) execution.hear(event);
  const { creation = 0, attempts = 0, inDoubtSince = null, resumes: over = 0, openResume } = earlier ?? {};
  const resumeIds = requestIds.resume.slice(over);
  const [requestId = '', ...rest] = resumeIds;
  return {
    creations: creation,
    creation: { requestId: requestIds.create[creation] ?? '', attempts, inDoubtSince },
    paymentId: earlier?.paymentId ?? undefined,
    referenceId: earlier?.referenceId ?? null,
    threeDs: earlier?.wantsSetUp === true ? 'skip' : threeDs,
    resumeIds: openResume === undefined ? resumeIds : rest,
    resume: openResume === undefined ? undefined : { requestId, ...openResume, resumedBefore: true, inDoubt: true },
    served: { noticed: 0, claimed: 0 },
  };
}
