import {
  type CardEnd,
  type CardEvent,
  type CardHandle,
  type CardPaymentInput,
  type CardPaymentView,
  type CardSent,
  type CardStateView,
  NOTHING_SENT,
} from '../../domain/card-payment.ts';
import type { Reason } from '../../domain/payout-state.ts';

/**
 * A card payment in flight, in plain values: what was asked, what was sent, what was received, and the phase. Each member
 * has one writer.
 */
export interface Position extends CardSent {
  amount: string;
  currency: string;
  /** The card last given. */
  card?: CardHandle;
  /** No vault has that card any more. */
  isCardLost: boolean;
  /** The first create is sent without a 3DS setup. */
  skipsSetUp: boolean;
  /** The resume that is in progress or in doubt. */
  resume?: OpenResume;
  /** Events received, each once. */
  events: CardEvent[];
  /** How often an event, and the cardholder's browser, brought something new. */
  noticed: number;
  returns: number;
  /** The last query result for each payment. */
  reads: CardPaymentView[];
  /** Answers of a POST that differed from what was requested; a query result takes precedence. */
  differingAnswers: CardPaymentView[];
  /** Payments that events named and that are not shown as ours, or belong to another intent. */
  foreign: string[];
  /** Payments of earlier creates: events no longer name them. */
  over: string[];
  phase: Phase;
}

type Phase =
  | Unsent
  /** A create was sent, perhaps; nothing else is done before its payment is known. */
  | { name: 'sent'; referenceId: string | null }
  | Placed
  | Ended;

/** Nothing that could take money was sent: the amount can be changed, and the payment cancelled. */
interface Unsent {
  name: 'unsent';
  /** What the browser needs to collect the device fingerprint, while it does; null otherwise. */
  dataCollectionInfo: unknown;
  isCollected: boolean;
}

/** The payment_id is known, and the payment is followed. */
export interface Placed {
  name: 'placed';
  paymentId: string;
  /** Id of the 3DS session that it was made with; null without a setup or if unknown. */
  referenceId: string | null;
  /** `payment_status` as last shown; null before. */
  status: string | null;
  /**
   * What the cardholder's browser must do. `set-up`: 3DS was asked for and no action named, so the payment was declined because a
   * 3DS setup was missing; `unusable`: browsers may not be sent to the address of the action.
   */
  action: NonNullable<CardStateView['next_action']> | 'none' | 'set-up' | 'unusable';
  /** Completions of the challenge for which a resume was sent, or that do not belong to this card. */
  served: Completions;
  /** Workflow time at which following it began, for the age limit. */
  since: number;
  /** Deadline for the cardholder; 0 before the challenge. */
  challengeUntil: number;
  /** What was received before the last query. */
  receivedBefore: number;
  /** Queries since the last news. */
  quiet: number;
  /** Queries and requests in a row that brought nothing: each makes the next pause longer. */
  failures: number;
}

/** Not stored yet. */
export interface Ended {
  name: 'ended';
  as: CardEnd;
  reason: Reason | null;
  paymentId: string | null;
  status: string | null;
  /** Something was sent that could have taken money. */
  isSent: boolean;
}

/** How often the challenge was reported as completed: `noticed` by verified notices, `claimed` by anybody else. */
export interface Completions {
  noticed: number;
  claimed: number;
}

/** Repeated under its merchant_request_id until its request was answered or cleanly refused. */
export interface OpenResume {
  attempts: number;
  /** Number of attempts of earlier runs in doubt. */
  othersKnown: number;
  firstSentAt: number;
  /** An earlier resume may have been executed. */
  resumedBefore: boolean;
  /** An attempt of this one may have been executed. */
  inDoubt: boolean;
}

export const UNSENT: Unsent = { name: 'unsent', dataCollectionInfo: null, isCollected: false };

/** Before anything was asked of the acquirer. */
export const begun = ({ amount = '', currency = '', card, three_ds }: Partial<CardPaymentInput>): Position => ({
  ...{ amount, currency, card, isCardLost: false, skipsSetUp: three_ds === 'skip' },
  ...NOTHING_SENT,
  ...{ events: [], noticed: 0, returns: 0, reads: [], differingAnswers: [], foreign: [], over: [] },
  phase: UNSENT,
});
