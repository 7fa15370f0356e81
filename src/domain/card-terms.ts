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
  /** Maximum number of cards for one payment, each given after the previous one took nothing. */
  cards: number;
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
/** Upper limit of the setting for cards per payment. */
export const CARDS_MAX = 5;
/**
 * Index (from 0) of the card that a create used. The first card may start over under another id; each further one has one create.
 */
export const cardOfCreation = (creation: number): number => Math.max(0, creation - RESTARTS_MAX);
/** Maximum number of resumes with one card: each needs its own id, and no challenge is completed more often. */
export const RESUMES_MAX = 8;
/** Resume ids reserved for the card of a create. */
export const resumesOf = (resumeIds: readonly string[], creation: number): string[] =>
  resumeIds.slice(cardOfCreation(creation) * RESUMES_MAX, (cardOfCreation(creation) + 1) * RESUMES_MAX);
/** Number of these ids reserved for verified notices: a browser may return any number of times. */
export const RESUMES_FOR_NOTICES = 3;
