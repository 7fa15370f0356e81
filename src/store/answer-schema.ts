import type { TransactionFacts } from '../domain/bank-message.ts';
import type { Json, JsonColumns } from './json-columns.ts';

/** Tables of what was answered to bank messages. Conventions: `schema.ts`. */
export interface AnswerTables {
  answers: AnswerRecord;
  answeredTransactions: AnsweredTable;
}

export const ANSWER_JSON: JsonColumns<AnswerTables> = { answeredTransactions: { told: true } };

/** A final answer to a bank message, as it was given. */
export interface AnswerRecord {
  /** Of the batch that the message came as. */
  batchId: string;
  /** From 1; a later one supersedes all before. */
  version: number;
  messageId: string;
  /** Message id of the version before; null for the first one. */
  supersedes: string | null;
  createdAt: number;
}

/** A transaction as an answer has told it. */
export interface AnsweredTransaction {
  /** Among the transactions of the message, from 0. */
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
