/**
 * What a card payment obeys for its whole life: returned into history by its first activity. Durations are milliseconds, our
 * own waits already scaled.
 */
export interface CardTerms {
  /** How long the frontend may collect the device fingerprint (interface section 8: about 10 seconds). */
  fingerprintWaitMs: number;
  /** How long a card or a cardholder is waited for. */
  deadlineMs: number;
  /** PROCESSING without an event for this long: looks itself, then ever more rarely. */
  patienceMs: number;
  /** A payment without an end for this long goes to an operator. */
  statusAgeLimitMs: number;
  /**
   * How long after its first attempt a request may be repeated under the same merchant_request_id: below the 24 hours in
   * which the acquirer repeats its first answer (interface section 8). The acquirer's time, never scaled.
   */
  repeatWindowMs: number;
  /** How many cards may be given to one payment, each after the one before has taken nothing. */
  cards: number;
  /** What counts as "the challenge is completed": its notice alone, or the browser's return as well (not shown). */
  completion: 'notice-or-return' | 'notice';
  /** First pause of a loop that asks again; it doubles up to `lookAgainMaxMs`. */
  lookAgainMs: number;
  lookAgainMaxMs: number;
}

/** A set-up older than this is made again: it is bound to one session of the cardholder and may not be kept. */
export const SESSION_MAX_MS = 10 * 60_000;

/** How often a payment may begin again with a set-up because it was declined without one. */
export const RESTARTS_MAX = 1;
/** No setting lets a payment have more cards. */
export const CARDS_MAX = 5;
/**
 * Which of the cards a create was sent with, from 0: the first one may begin again under an id of its own, each further one
 * has one create.
 */
export const cardOfCreation = (creation: number): number => Math.max(0, creation - RESTARTS_MAX);
/** Resumes of one payment: each needs an id of its own, and a challenge is not completed that often. */
export const RESUMES_MAX = 8;
/** Ids of resumes that are for the card of a create. */
export const resumesOf = (resumeIds: readonly string[], creation: number): string[] =>
  resumeIds.slice(cardOfCreation(creation) * RESUMES_MAX, (cardOfCreation(creation) + 1) * RESUMES_MAX);
/** Of these, ids that only a verified notice may use: a browser may come back as often as it likes. */
export const RESUMES_FOR_NOTICES = 3;
