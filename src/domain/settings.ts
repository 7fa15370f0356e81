import type { Policy } from './authority.ts';
import type { BusinessCalendar } from './business-days.ts';
import type { CardTerms } from './card-payment.ts';
import type { ApprovalRule, Terms } from './policy.ts';

interface Line {
  (fields: object, sentence?: string): void;
  (sentence: string): void;
}

/** Where a process reports to the people who run it. A field that its allow-list does not name is left out. */
export interface Log {
  error: Line;
  warn: Line;
  info: Line;
  debug: Line;
  trace: Line;
}

/** Settings of payouts, card payments and workers. Durations in ms; our own waits are already scaled. */
export interface WorkerSettings {
  /** The terms of a payout whose row has none. */
  terms: Terms;
  cardTerms: CardTerms;
  /** Whether an AUTH card payment counts as money taken. */
  cardAuthCounts: boolean;
  /** In capitals. */
  cardBackStatuses: readonly string[];
  /** The policy as it is now; decisions are judged by it when they are signed. Absent: a trial, in which names are believed. */
  readonly policy: Policy | undefined;
  /** Approval rules of a trial. */
  approvalRules: readonly ApprovalRule[];
  transferAcrossUsers: boolean;
  /** Holidays; absent: every day is a business day. */
  calendar: BusinessCalendar | undefined;
  /** IANA time zone in which a business day begins and ends. */
  timeZone: string;
  /** Widens every window of an order list. Not scaled. */
  clockSkewMs: number;
  /** First pause between polls of the order watch. */
  listPollMs: number;
  listPollMaxMs: number;
  /** Orders open for longer are read by id. */
  listWindowMs: number;
  /** Records requested per page of a list. */
  pageSize: number;
  /** Released payouts of one batch whose order the bank has not accepted yet. */
  window: number;
  /** Payouts with an open order at the bank, over all batches, at which no further row is released. */
  openOrders: number;
  /** Pause between two checks of a batch on its rows. */
  batchPulseMs: number;
  /** After this long without a change, a released row's workflow is described. */
  quietRowMs: number;
  /** How often a running batch checks for rows whose workflow is gone and for missing watches. */
  quietCheckMs: number;
  reconcileDays: number;
  /** Pause between two passes of the reconciliation. */
  reconcileEveryMs: number;
}
