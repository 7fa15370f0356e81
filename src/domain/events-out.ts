import { DAY_MS, doublingPause } from './time.ts';

/** Events about payouts and batches for other systems, and what a receiver's answer means. Pure. */

/** Kind of an event -> when it is written. */
export const EVENT_KINDS = {
  'payout.approved': 'people have given every approval that a payout needs before it is sent',
  'payout.submitted': 'the bank has accepted the order of a payout',
  'payout.attention': 'people have to act on a payout',
  'payout.reminder': 'the time that people have to act on a payout ends soon; once for each wait',
  'payout.comment': 'somebody has written a comment on a payout',
  'payout.rejected': 'a payout was rejected, here or at the bank; `payout.ended` follows',
  'payout.ended': 'a payout has ended: completed, failed, rejected or cancelled',
  'payout.returned': 'the bank shows that money of a payout came back',
  'payout.incident': 'the bank contradicts the stored end of a payout',
  'batch.attention': 'a batch was paused automatically',
  'batch.ended': 'every row of a batch has ended or waits for an operator',
} as const;

export type EventKind = keyof typeof EVENT_KINDS;

/** Type of a CloudEvent: names of others in the same inbox never begin like it. */
export type EventType = `org.durable-payouts.${EventKind}`;

export const eventType = (kind: EventKind): EventType => `org.durable-payouts.${kind}`;

export const EVENT_TYPES = (Object.keys(EVENT_KINDS) as EventKind[]).map(eventType);

export const isEventKind = (text: string): text is EventKind => Object.hasOwn(EVENT_KINDS, text);

/** Which events a subscription receives. */
export interface EventFilter {
  /** Absent: every kind. */
  kinds?: readonly EventKind[];
  /**
   * Users whose payouts are reported; absent: all. With a list no batch events are sent, because a batch may have rows of other
   * users.
   */
  uids?: readonly string[];
}

/** Outcome of one delivery. `why` is kebab-case and holds no value from the receiver. */
export type DeliveryOutcome =
  | { kind: 'taken' }
  /** The receiver fails for any event, not only for this one; `isOfMail`: a mail server said it of an address or a mail. */
  | { kind: 'unavailable'; why: string; retryAfterMs?: number; isOfMail?: boolean }
  /** The receiver works, but does not accept this event. */
  | { kind: 'refused'; why: string }
  /** The receiver wants no further events. */
  | { kind: 'gone'; why: string };

/** Caused by the address, the credentials or the load, not by the event. */
const ABOUT_THE_RECEIVER: ReadonlySet<number> = new Set([401, 403, 404, 405, 408, 425, 429, 501, 502, 503, 504]);

/** What an HTTP status means (Standard Webhooks, "Delivery semantics"). Redirects are never followed. */
export function outcomeOf(status: number, retryAfterMs?: number): DeliveryOutcome {
  const why = `http-${status}`;
  if (status >= 200 && status < 300) return { kind: 'taken' };
  if (status === 410) return { kind: 'gone', why };
  if (status < 400 || ABOUT_THE_RECEIVER.has(status)) {
    return { kind: 'unavailable', why, ...(retryAfterMs !== undefined && { retryAfterMs }) };
  }
  return { kind: 'refused', why };
}

/** A Retry-After value, seconds or a date (RFC 9110, section 10.2.3), as milliseconds from `now`; undefined if it is neither. */
export function retryAfter(text: string | undefined, now: number): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1_000;
  const at = Date.parse(text);
  return Number.isNaN(at) ? undefined : Math.max(0, at - now);
}

/** After this long without a delivery nothing more is sent until somebody asks for a replay. */
export const PARKED_AFTER_MS = 3 * DAY_MS;

const FIRST_WAIT_MS = 5_000;
const WAIT_MAX_MS = 15 * 60_000;
const RETRY_AFTER_MAX_MS = DAY_MS;

/**
 * Milliseconds before the next attempt after `failures` failures in a row: doubles up to 15 minutes, then reduced at random by up
 * to half (`draw`, from 0 to 1). A longer wait that the receiver asks for is respected, up to a day.
 */
export function waitBeforeRetry(failures: number, draw: number, retryAfterMs = 0): number {
  const full = doublingPause(failures - 1, FIRST_WAIT_MS, WAIT_MAX_MS);
  return Math.max(Math.ceil(full * (1 - draw / 2)), Math.min(retryAfterMs, RETRY_AFTER_MAX_MS));
}

/** State of a subscription before a round of deliveries, as far as the round changes it. */
interface DeliveryHealth {
  failures: number;
  /** Epoch ms; null: the last attempt was accepted. */
  failingSince: number | null;
}

/** Result of a round: whether anything was accepted, and what ended it early. */
export interface DeliveryRound {
  hasTaken: boolean;
  halt: Exclude<DeliveryOutcome, { kind: 'taken' | 'refused' }> | undefined;
  /** Why the last refused event was refused; undefined if none was. */
  refusedWhy: string | undefined;
  /** No new event is tried, because too many are waiting refused. */
  isFull: boolean;
}

/** The state after the round. `draw`: from 0 to 1. */
export function healthAfter(
  before: DeliveryHealth,
  { hasTaken, halt, refusedWhy, isFull }: DeliveryRound,
  now: number,
  draw: number,
) {
  const why = halt?.why ?? refusedWhy;
  if (why === undefined) {
    // A round without events does not show that the receiver works.
    return hasTaken ? { failures: 0, failingSince: null, why: null, nextTryAt: null } : {};
  }
  const failures = (hasTaken ? 0 : before.failures) + 1;
  const failingSince = hasTaken ? now : (before.failingSince ?? now);
  const isOver = now - failingSince >= PARKED_AFTER_MS && (halt !== undefined || isFull);
  const retryAfterMs = halt?.kind === 'unavailable' ? halt.retryAfterMs : undefined;
  return {
    failures,
    failingSince,
    why,
    nextTryAt: halt === undefined ? null : now + waitBeforeRetry(failures, draw, retryAfterMs),
    parkedAt: isOver || halt?.kind === 'gone' ? now : null,
  };
}
