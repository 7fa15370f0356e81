import type { LegKind } from '../../domain/sent-order.ts';
import { SENDER_LIFE_MS, type Submission, submissionOf, withUnknownAttempts } from '../../domain/submission.ts';
import type { PayoutClaim } from '../../store/store.ts';
import { legReferences } from '../sending/claimed-row.ts';

/** What is known of one order of a payout when a run takes the claim: of nearly all that nothing was sent, which takes no room in a history. */
export interface LegStart {
  /** Under which it is sent. */
  reference: string;
  /** Absent: nothing was sent. */
  submission?: Submission;
  /** Its order is known to have been paid. */
  isPaid?: boolean;
  /** Epoch ms of the first and the last attempt recorded; absent or null when there is none. */
  firstSentAt?: number | null;
  lastSentAt?: number | null;
  /** More may have been sent than the store shows. */
  isForgotten?: true;
}

/** Those of the orders that a row of its kind may send. */
export type LegStarts = Partial<Record<LegKind, LegStart>>;

/** In which time (epoch ms) something may have been sent that the store does not show; `until` null: up to now. */
export interface Forgotten {
  from: number;
  until: number | null;
}

/** When the claim was taken (epoch ms); `forgotten`: attempts of the order may be missing. */
interface Taken {
  at: number;
  forgotten?: Forgotten;
}

export function legStarts(claim: PayoutClaim, taken: (leg: LegKind) => Taken): LegStarts {
  const references = Object.entries(legReferences(claim.record)) as [LegKind, string][];
  return Object.fromEntries(references.map(([leg, reference]) => [leg, legStart(reference, claim, taken(leg))]));
}

/** One that is known to have been paid needs no look. */
function legStart(reference: string, { attempts }: PayoutClaim, { forgotten, at }: Taken): LegStart {
  const own = attempts.filter((attempt) => attempt.reference === reference);
  if (own.length === 0 && forgotten === undefined) return { reference };
  const submission = submissionOf(own);
  return {
    reference,
    submission: forgotten === undefined ? submission : withUnknownAttempts(submission),
    isPaid: own.some(({ settled }) => settled === 'paid'),
    firstSentAt: forgotten?.from ?? own[0]?.sentAt ?? null,
    lastSentAt: forgotten?.until === null ? null : (lastEnd(own, at) ?? forgotten?.until ?? null),
    ...(forgotten !== undefined && { isForgotten: true }),
  };
}

/** When the last attempt ended at the latest, oldest first: nobody records when a sender stopped. */
function lastEnd(attempts: PayoutClaim['attempts'], at: number): number | undefined {
  const last = attempts.at(-1);
  return last && Math.min(at, last.sentAt + SENDER_LIFE_MS);
}
