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
/** Resumes of one payment: each needs an id of its own, and a challenge is not completed that often. */
export const RESUMES_MAX = 8;
/** Of these, ids that only a verified notice may use: a browser may come back as often as it likes. */
export const RESUMES_FOR_NOTICES = 3;
