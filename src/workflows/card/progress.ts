import type { CardPaymentInput } from '../../domain/card-payment.ts';
import { RESTARTS_MAX, resumesOf } from '../../domain/card-terms.ts';
import type { EarlierRuns, PreparedCard } from '../../services/cards/prepare-card.ts';
import type { Creation } from './create-payment.ts';
import type { CardExecution } from './execution.ts';
import type { OpenResume } from './resume-payment.ts';

export type ReadyCard = Extract<PreparedCard, { kind: 'ready' }>;

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

const NOTHING_SERVED = { noticed: 0, claimed: 0 };

/** Progress of earlier runs. */
export function progressOfEarlierRuns(
  { requestIds, earlier }: ReadyCard,
  { three_ds: threeDs = 'setup' }: Partial<CardPaymentInput>,
): CardProgress {
  const { creation = 0, attempts = 0, inDoubtSince = null, resumes: over = 0, openResume } = earlier ?? {};
  const [requestId = '', ...rest] = resumesOf(requestIds.resume, creation).slice(over);
  return {
    creations: creation,
    creation: { requestId: requestIds.create[creation] ?? '', attempts, inDoubtSince },
    paymentId: earlier?.paymentId ?? undefined,
    referenceId: earlier?.referenceId ?? null,
    threeDs: earlier?.wantsSetUp === true ? 'skip' : threeDs,
    resumeIds: openResume === undefined ? resumesOf(requestIds.resume, creation).slice(over) : rest,
    resume: openResume === undefined ? undefined : { requestId, ...openResume, resumedBefore: true, inDoubt: true },
    served: NOTHING_SERVED,
  };
}

/** Takes over what events and attempts of earlier runs say about the followed payment. */
export function takeOver(execution: CardExecution, earlier: EarlierRuns | undefined): void {
  execution.resumed = earlier?.resumed ?? false;
  execution.uncertain ||= earlier?.inDoubt ?? false;
  for (const paymentId of earlier?.before ?? []) execution.over.add(paymentId);
  for (const event of earlier?.events ?? []) execution.hear(event);
}

/** Starts over with another card: under a new id, unless none was used for the previous card, and always with a 3DS setup. */
export function withAnotherCard(
  { requestIds }: ReadyCard,
  before: CardProgress,
  { completions }: CardExecution,
): CardProgress {
  const isUsed = before.creation.attempts > 0;
  const creations = isUsed ? Math.max(RESTARTS_MAX, before.creations) + 1 : before.creations;
  return {
    creations,
    creation: { requestId: requestIds.create[creations] ?? '', attempts: 0, inDoubtSince: null },
    paymentId: undefined,
    referenceId: null,
    threeDs: 'setup',
    resumeIds: resumesOf(requestIds.resume, creations),
    resume: undefined,
    served: completions,
  };
}
