import type { Finding } from './finding.ts';
import type { CheckVerdict } from './payee-check.ts';
import type { PayoutState, Reason } from './payout-state.ts';

/** What is kept of a bank message, so that its answer names everything as it was written. */

/** The ids a bank message gave one transaction, byte for byte, so that the answer names them as they were written. */
export interface OriginalTransaction {
  /** Position of its payment block in `OriginalMessage.payments`, from 0. */
  payment: number;
  /** `InstrId`, where there was one. */
  instructionId?: string;
  /** `EndToEndId`, or what stands for it in the format (ABA lodgement reference, NACHA trace number). */
  endToEndId: string;
  /** `UETR`, where there was one. */
  uetr?: string;
  /** Amount as written in the file, and its currency: the answer shows what was asked for. */
  amount: string;
  currency: string;
  /** Date asked for, ISO 8601. */
  requestedExecution?: string;
}

/** What an answer says of a transaction is made of this. */
export type TransactionFacts = ClaimedFacts | RefusedFacts;

export interface ClaimedFacts {
  original: OriginalTransaction;
  state: PayoutState;
  reason: Reason | null;
  orderId: string | null;
  /** Whether the account is held under the name of the payee; absent: nobody was asked. */
  verification?: CheckVerdict;
}

/** A row that was never claimed. */
export interface RefusedFacts {
  original: OriginalTransaction;
  /** None: it was refused because of other rows of its file. */
  findings: readonly Pick<Finding, 'column' | 'rule' | 'message'>[];
}

/** The head of a bank message and of its payment blocks, as written. */
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
  transactions?: string;
  controlSum?: string;
}

type MessageFormat = 'pain.001.001.03' | 'pain.001.001.09' | 'aba' | 'nacha';
