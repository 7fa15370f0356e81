/** A bank statement as it was read, in any format: what the bank says that it booked on one account. */

export type Direction = 'credit' | 'debit';

/**
 * `statement`: what was booked, complete for its days, with balances (camt.053, MT940). `report` and `notification`: some of it,
 * earlier or in more detail (camt.052, MT942; camt.054). `orders`: made from the order list of the bank's own interface.
 */
export type StatementKind = 'statement' | 'report' | 'notification' | 'orders';

export interface StatementBalance {
  /** Minor units; below zero: overdrawn. */
  minor: bigint;
  /** ISO 8601 day. */
  on: string;
}

export interface StatementHead {
  kind: StatementKind;
  /** For people: `camt.053.001.08`, `MT940`. */
  format: string;
  /** As the bank writes it: an IBAN, a number, or its id in the interface. */
  account: string;
  /** Undefined where the bank writes none, and the account's is meant. */
  currency: string | undefined;
  /** The bank's id or number of the statement. */
  number: string;
  /** First and last day, ISO 8601; undefined where neither the period nor a balance says it. */
  from: string | undefined;
  to: string | undefined;
}

/** One booking. Texts are as written, and may name people. */
export interface StatementEntry {
  /** From 1, within the statement. */
  position: number;
  minor: bigint;
  currency: string;
  direction: Direction;
  /** It undoes an earlier booking. */
  isReversal: boolean;
  /** Expected or for information: not in the balances. */
  isPending: boolean;
  bookedOn: string;
  valueOn: string | undefined;
  /** Bank transaction code: `PMNT/ICDT/ESCT`, `NTRF`, a code of the bank. */
  code: string | undefined;
  /** The bank's reference of the booking. */
  bankReference: string | undefined;
  /** What the booking itself refers to; MT940 has one per entry. */
  references: readonly string[];
  text: string;
  /** Of a booking for a whole file: its ids, and how many payments it holds. */
  batch: BatchBooking | undefined;
  returnReason: ReturnReason | undefined;
  /** Account of the other side. */
  counterparty: string | undefined;
  /** Charges that the amount holds. */
  chargesMinor: bigint;
  details: number;
  line: number;
}

export interface BatchBooking {
  messageId: string | undefined;
  paymentId: string | undefined;
  count: number | undefined;
}

export interface ReturnReason {
  /** ISO 20022 external return reason, e.g. `AC04`; undefined where the bank writes only text. */
  code: string | undefined;
  text: string | undefined;
}

/** One payment of a booking for several. */
export interface EntryDetail {
  /** From 1, within the entry. */
  part: number;
  /** Undefined where the bank writes none. */
  minor: bigint | undefined;
  currency: string;
  direction: Direction;
  references: readonly string[];
  bankReference: string | undefined;
  text: string;
  returnReason: ReturnReason | undefined;
  counterparty: string | undefined;
  chargesMinor: bigint;
}

/** Balances of a statement, to which its entries must add up. */
export interface StatementBalances {
  opening: StatementBalance | undefined;
  closing: StatementBalance | undefined;
}

export const signed = ({ minor, direction }: { minor: bigint; direction: Direction }): bigint =>
  direction === 'credit' ? minor : -minor;
