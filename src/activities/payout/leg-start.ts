import type { LegKind } from '../../domain/names.ts';
import { SENDER_LIFE_MS, type Submission, submissionOf, withUnknownAttempts } from '../../domain/submission.ts';
import { legReferences } from '../../store/claimed-row.ts';
import type { PayoutClaim } from '../../store/store.ts';

/** What is known of one order of a payout when a run takes the claim. Usually nothing was sent; that takes no room in history. */
export interface LegStart {
  reference: string;
  /** Absent: nothing was sent. */
  submission?: Submission;
  /** Known to be paid. */
  isPaid?: boolean;
  /** Epoch ms of the first and the last attempt recorded; absent or null when there is none. */
  firstSentAt?: number | null;
  lastSentAt?: number | null;
  /** More may have been sent than the store shows. */
  isForgotten?: true;
}

/** One for each order that a row of its kind may send. */
export type LegStarts = Partial<Record<LegKind, LegStart>>;

/** Period (epoch ms) in which something may have been sent that the store does not show; `until` null: up to now. */
export interface Forgotten {
  from: number;
  until: number | null;
}

/** `at`: when the claim was taken (epoch ms). `forgotten`: attempts of the order may be missing. */
interface Taken {
  at: number;
  forgotten?: Forgotten;
}

export function legStarts(claim: PayoutClaim, taken: (leg: LegKind) => Taken): LegStarts {
  const references = Object.entries(legReferences(claim.record)) as [LegKind, string][];
  return Object.fromEntries(references.map(([leg, reference]) => [leg, legStart(reference, claim, taken(leg))]));
}

/** A paid leg needs no look. */
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

/** Upper bound for the end of the last attempt: nobody records when a sender stopped. Attempts oldest first. */
function lastEnd(attempts: PayoutClaim['attempts'], at: number): number | undefined {
  const last = attempts.at(-1);
  return last && Math.min(at, last.sentAt + SENDER_LIFE_MS);
}
