import type { Finding } from './finding.ts';
import type { CheckVerdict } from './payee.ts';
import type { PayoutState, Reason } from './payout-state.ts';

/** What is stored of a bank message, so that its answer repeats everything as it was written. */

/** The ids and values that a bank message gave one transaction, byte for byte. */
export interface OriginalTransaction {
  /** Index of its payment block in `OriginalMessage.payments`, from 0. */
  payment: number;
  /** `InstrId`, if present. */
  instructionId?: string;
  /** `EndToEndId`, or its equivalent in the format (ABA lodgement reference, NACHA trace number). */
  endToEndId: string;
  /** `UETR`, if present. */
  uetr?: string;
  /** Amount and currency as written in the file. */
  amount: string;
  currency: string;
  /** Requested execution date, ISO 8601. */
  requestedExecution?: string;
  /** Structured remittance information, if present: creditor references, and documents with what is paid of each. */
  settles?: { references: readonly string[]; documents: readonly SettledDocument[] };
}

export interface SettledDocument {
  number: string;
  /** ISO 8601. */
  date?: string | undefined;
  /** `120.00 EUR`. */
  amount?: string | undefined;
}

/** Facts from which the answer about one transaction is made. */
export type TransactionFacts = ClaimedFacts | RefusedFacts;

export interface ClaimedFacts {
  original: OriginalTransaction;
  state: PayoutState;
  reason: Reason | null;
  orderId: string | null;
  /** Whether the account is held under the payee's name; absent if no provider was asked. */
  verification?: CheckVerdict;
}

/** A row that was never claimed. */
export interface RefusedFacts {
  original: OriginalTransaction;
  /** Empty: it was refused because of other rows of its file. */
  findings: readonly Pick<Finding, 'column' | 'rule' | 'message'>[];
}

/** The header of a bank message and of its payment blocks, as written. */
export interface OriginalMessage {
  format: MessageFormat;
  messageId: string;
  /** `CreDtTm` as written. */
  createdAt: string;
  /** `NbOfTxs` as written. */
  transactions: string;
  /** `CtrlSum` as written. */
  controlSum?: string;
  payments: OriginalPayment[];
}

export interface OriginalPayment {
  /** `PmtInfId`. */
  paymentId: string;
  /** Our account as written: `DbtrAcct`, or the trace account of an ABA file; absent in a NACHA file. */
  account?: string;
  transactions?: string;
  controlSum?: string;
}

type MessageFormat = `pain.001.001.${string}` | 'aba' | 'nacha';
