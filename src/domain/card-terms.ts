/**
 * Terms of a card payment for its whole life, returned into history by its first activity. Durations are milliseconds, our own
 * waits already scaled.
 */
export interface CardTerms {
  /** How long the frontend may collect the device fingerprint (interface section 8: about 10 seconds). */
  fingerprintWaitMs: number;
  /** How long to wait for a card, or for the cardholder. */
  deadlineMs: number;
  /** After this long in PROCESSING without an event, the payment is queried, then at growing intervals. */
  patienceMs: number;
  /** A payment without an end after this long goes to an operator. */
  statusAgeLimitMs: number;
  /**
   * How long after its first attempt a request may be repeated under its merchant_request_id: less than the 24 hours in which the
   * acquirer repeats its first answer (interface section 8). The acquirer's time, never scaled.
   */
  repeatWindowMs: number;
  /**
   * What counts as "challenge completed": only its notice, or also the browser's return. The interface does not show which is
   * enough.
   */
  completion: 'notice-or-return' | 'notice';
  /** First pause of a loop that retries; it doubles up to `lookAgainMaxMs`. */
  lookAgainMs: number;
  lookAgainMaxMs: number;
}

/** A 3DS setup older than this is made again: it is bound to one session of the cardholder and must not be kept. */
export const SESSION_MAX_MS = 10 * 60_000;

/** How often a payment may start over with a 3DS setup after being declined without one. */
export const RESTARTS_MAX = 1;
/** Maximum number of resumes of one payment: each needs its own id, and no challenge is completed more often. */
export const RESUMES_MAX = 8;
/** Number of these ids reserved for verified notices: a browser may return any number of times. */
export const RESUMES_FOR_NOTICES = 3;
