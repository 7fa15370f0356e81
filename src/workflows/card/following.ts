import type { CardTerms } from '../../domain/card-terms.ts';
import { doublingPause } from '../../domain/policy.ts';
import type { CardExecution } from './execution.ts';
import type { CardEnded } from './obtain-session.ts';
import type { OpenResume, Resumption } from './resume-payment.ts';

/** What a payment is followed with, and how far that has come. */
export interface Following {
  /** The payment_id followed; an operator may name another. */
  paymentId: string;
  resumption: Resumption;
  /** Ids of resumes that were not used yet. */
  resumeIds: string[];
  /** The resume that is under way or in doubt. */
  resume: OpenResume | undefined;
  /** It may begin again with a set-up: it was sent without one. */
  mayRestart: boolean;
  /** Since when (workflow time) it has had no end. */
  since: number;
  /** How much of what was heard (`CardExecution.heard`) has led to a look. */
  heard: number;
  /** Looks since the last news. */
  quiet: number;
  /** Looks and requests in a row that brought nothing: what comes next waits the longer. */
  failures: number;
  /** Until when the cardholder is waited for; 0 before the challenge. */
  challengeUntil: number;
  /** Completions of the challenge that a resume was sent for. */
  served: { noticed: number; claimed: number };
}

export type Conclusion = CardEnded | { restart: true };

/** Something was heard that no look was made for yet. */
export const hasNews = (execution: CardExecution, following: Following): boolean => execution.heard > following.heard;

/** The pause before something that brought nothing is tried again. */
export const retryPause = ({ lookAgainMs, lookAgainMaxMs }: CardTerms, { failures }: Following): number =>
  doublingPause(Math.max(0, failures - 1), lookAgainMs, lookAgainMaxMs);
