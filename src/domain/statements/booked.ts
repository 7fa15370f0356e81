import type { BatchBooking, Direction, ReturnReason } from './statement.ts';

/** Both sides of a reconciliation, and its result. */

/** One thing that a bank booked: an entry, or one payment of an entry for several. */
export interface BookedLine {
  /** Of the entry; for one payment of several, its number after a slash. */
  id: string;
  accountId: string;
  currency: string;
  minor: bigint;
  direction: Direction;
  /** ISO 8601 day. */
  on: string;
  isReversal: boolean;
  /** By its code or a reason. */
  isReturn: boolean;
  isFee: boolean;
  /** Everything that may name a payment: references, and words of the text. */
  references: readonly string[];
  batch: BatchBooking | undefined;
  returnReason: ReturnReason | undefined;
  /** `accountKey` of the other side. */
  counterparty: string | undefined;
  chargesMinor: bigint;
  /** What a return is recorded under: the bank's order where the line is one, else the id of the line. */
  orderId: string;
}

export type MovementKind = 'payment' | 'fee' | 'exchange' | 'transfer' | 'return' | 'card';

/** What moved on an account of ours, or would have, by our own records. */
export interface OurMovement {
  id: string;
  kind: MovementKind;
  /** Reference of the payout, or merchant_request_id of the card payment. */
  reference: string;
  accountId: string;
  currency: string;
  minor: bigint;
  direction: Direction;
  /** ISO 8601 day from which a booking is expected. */
  on: string;
  /** Of a return: what it was recorded under. */
  orderId?: string;
}

/** A payout, transfer, exchange or card payment, with what it moved. */
export interface OurRecord {
  reference: string;
  documentId: string;
  /** `unpaid`: ended without money; `waits`: for people to find out; `open`: under way. */
  state: 'paid' | 'unpaid' | 'waits' | 'open';
  /** ISO 8601 day. */
  endedOn: string | undefined;
  /** Names that identify it alone: reference of the exchange, order ids, end-to-end id. */
  names: readonly string[];
  /** What was asked for, paid or not. */
  asked: { accountId: string; currency: string; minor: bigint };
  /** Ids of its file: those of a bank message, and of the batch. */
  batch: { batchId: string | undefined; messageId: string | undefined; paymentId: string | undefined };
  /** `accountKey` of the payee's account. */
  payeeAccount: string | undefined;
  movements: readonly OurMovement[];
}

/** A decision of people about a line: of this payout, or of none. */
interface HandMatch {
  lineId: string;
  reference: string | undefined;
}

/** How a booking was recognized, the surest first. */
export type MatchedBy = 'person' | 'reference' | 'batch' | 'document' | 'amount' | 'sum';

export interface Match {
  lineId: string;
  /** Undefined: the booking is a return that our records do not have yet, or people say it is of none. */
  movementId: string | undefined;
  reference: string | undefined;
  kind: MovementKind | 'other';
  by: MatchedBy;
  /** What of the line it is; below zero: it left the account. */
  minor: bigint;
}

export type DiscrepancyKind =
  | 'not-booked'
  | 'booked-not-paid'
  | 'late-booking'
  | 'other-amount'
  | 'other-currency'
  | 'other-account'
  | 'other-fee'
  | 'booked-twice'
  | 'booking-undone'
  | 'other-sum'
  | 'unattributed-return'
  | 'unexplained-debit'
  | 'unexplained-credit';

export interface Discrepancy {
  kind: DiscrepancyKind;
  /** Of the payout; undefined: of none that is known. */
  reference: string | undefined;
  lineIds: readonly string[];
  accountId: string;
  /** Of what was booked. */
  currency: string;
  /** What we recorded, and what the bank booked, minor units; undefined: nothing. */
  ours: bigint | undefined;
  ourCurrency: string;
  booked: bigint | undefined;
  on: string;
  /** References that it may belong to, if that is not certain; of a file, the rows that may be missing. */
  candidates: readonly string[];
  /** The file that was booked as one. */
  batchId?: string | undefined;
}

/** Money that came back, by a reference of the payout. */
export interface AttributedReturn {
  orderId: string;
  shownBy: 'orders' | 'statement';
  reference: string;
  minor: bigint;
  currency: string;
  on: string;
  reason: ReturnReason | undefined;
}

export interface Reconciled {
  matches: readonly Match[];
  discrepancies: readonly Discrepancy[];
  /** Those that no movement of ours shows yet. */
  returns: readonly AttributedReturn[];
}

export interface ToReconcile {
  lines: readonly BookedLine[];
  records: readonly OurRecord[];
  byHand?: readonly HandMatch[];
  /** Whether everything booked on the account on this day is among the lines. */
  isCovered(accountId: string, day: string): boolean;
}
