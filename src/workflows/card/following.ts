import type { CardTerms } from '../../domain/card-terms.ts';
import { doublingPause } from '../../domain/durations.ts';
import type { CardExecution } from './execution.ts';
import type { CardEnded } from './obtain-session.ts';
import type { OpenResume, Resumption } from './resume-payment.ts';

/** What is needed to follow a payment, and how far that has come. */
export interface Following {
  /** The payment_id followed; an operator may name another. */
  paymentId: string;
  resumption: Resumption;
  /** Resume ids not used yet. */
  resumeIds: string[];
  /** The resume that is in progress or in doubt. */
  resume: OpenResume | undefined;
  /** It was sent without a 3DS setup and may start over with one. */
  mayRestart: boolean;
  /** Workflow time at which following it began, for the age limit. */
  since: number;
  /** Value of `CardExecution.heard` at the last query. */
  heard: number;
  /** Queries since the last news. */
  quiet: number;
  /** Queries and requests in a row that brought nothing: each makes the next pause longer. */
  failures: number;
  /** Deadline for the cardholder; 0 before the challenge. */
  challengeUntil: number;
  /** Completions of the challenge for which a resume was sent. */
  served: { noticed: number; claimed: number };
}

export type Conclusion = CardEnded | { restart: true };

/** Whether something was heard since the last query. */
export const hasNews = (execution: CardExecution, following: Following): boolean => execution.heard > following.heard;

/** Pause before retrying something that brought nothing. */
export const retryPause = ({ lookAgainMs, lookAgainMaxMs }: CardTerms, { failures }: Following): number =>
  doublingPause(Math.max(0, failures - 1), lookAgainMs, lookAgainMaxMs);
