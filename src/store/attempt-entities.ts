import type { EndState, Reason } from '../domain/payout-state.ts';
import type { SentOrder } from '../domain/sent-order.ts';

/** What the store keeps of sends, as its callers see it. */

/** Outcome of one POST as far as the sender learned it; null while unknown (the sender may have died). */
export type AttemptOutcome = 'accepted' | 'not-sent' | 'refused' | 'exists' | 'ambiguous';

/** `absent`: proven never to have become an order, or said so by people. `unpaid`, `paid`: the end of its order. */
export type Settled = 'absent' | 'unpaid' | 'paid';

/**
 * Whether an attempt may be made. `taken`: its number, or a higher one, was used. `live`: another sender may still be about to
 * send. `superseded`: the run does not hold the claim any more, or the payout has an end.
 */
export type AttemptBegun = 'begun' | 'taken' | 'live' | 'superseded';

export interface SendAttempt {
  /** Reference sent: the payout's own or the derived one of its exchange. */
  reference: string;
  attempt: number;
  runId: string;
  activityId: string;
  sentAt: number;
  outcome: AttemptOutcome | null;
  orderId: string | null;
  code: number | null;
  /** What became of it, as far as some run has settled that: it no longer stands against an unpaid end. */
  settled: Settled | null;
  /** The order as it was sent; null for what is no order (a beneficiary). Under the id of a card request: see `SentCardRequest`. */
  request: SentOrder | null;
}

/** An end without money, and what the run has settled of what it sent. */
export interface UnpaidEnd {
  reference: string;
  term: number;
  state: Exclude<EndState, 'completed'>;
  reason: Reason;
  fee?: string;
  feeCurrency?: string;
  /** By reference sent: attempts up to this number are settled, and how. Those of a reference that is not named are not. */
  settled: Record<string, { upTo: number; as: Settled }>;
  /** Every reference sent for the payout. */
  references: readonly string[];
  at: number;
}

/**
 * `superseded`: the run does not hold the claim. `in-doubt`: an attempt beyond those it has settled may have moved money. Nothing
 * is written in either case.
 */
export type Closing = 'closed' | 'superseded' | 'in-doubt';
