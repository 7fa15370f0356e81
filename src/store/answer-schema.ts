import type { TransactionFacts } from '../domain/bank-message.ts';
import type { Json } from './engine/json-columns.ts';

/** Tables of answers to bank messages. Conventions: `schema.ts`. */
export interface AnswerTables {
  answers: AnswerRecord;
  answeredTransactions: AnsweredTable;
}

/** A final answer to a bank message, as it was sent. */
export interface AnswerRecord {
  /** Batch that the message became. */
  batchId: string;
  /** From 1; each version supersedes all earlier ones. */
  version: number;
  messageId: string;
  /** Message id of the previous version; null for the first. */
  supersedes: string | null;
  createdAt: number;
}

export interface AnsweredTransaction {
  /** Position in the message, from 0. */
  position: number;
  facts: TransactionFacts;
}

interface AnsweredTable {
  batchId: string;
  version: number;
  /** From 0. */
  part: number;
  told: Json<AnsweredTransaction[]>;
}
