import type { OriginalMessage, RefusedFacts, TransactionFacts } from '../../domain/bank-message.ts';
import type { Finding } from '../../domain/finding.ts';

/** The content of an answer (pain.002). The same facts give the same bytes: every id and time is an input. */

/** Progress of a file: received; rows judged; orders at the bank; all rows at rest. */
export const STAGES = ['received', 'validated', 'sent', 'final'] as const;
export type Stage = (typeof STAGES)[number];

/** Stages that report on every transaction. */
export type JudgedStage = Exclude<Stage, 'received'>;

export type AnswerVersion = 'pain.002.001.03' | 'pain.002.001.10';

interface Answer {
  /** Id of the answer itself: 1 to 35 characters. */
  messageId: string;
  /** Epoch milliseconds. */
  createdAt: number;
  /** Default: .10 for a pain.001.001.09, .03 for everything else. */
  version?: AnswerVersion;
}

/** The answer to a file that was taken. */
export interface BatchAnswer extends Answer {
  stage: Stage;
  message: OriginalMessage;
  /**
   * Every transaction once, in the order of the file. Called twice, since the counts precede the transactions. A transaction that
   * changes in between keeps the status that was counted.
   */
  transactions(): Iterable<TransactionFacts> | AsyncIterable<TransactionFacts>;
  /** Absent for the first answer of this stage. */
  supersedes?: Superseded;
}

/** For an answer that supersedes another: it counts all transactions, but lists only those that changed. */
export interface Superseded {
  /** Version of the new answer, from 2. */
  version: number;
  /** Id of the previous answer. */
  messageId: string;
  /** Indexes of the changed transactions, from 0. */
  changed: ReadonlySet<number>;
}

/** The answer to a file that was refused as a whole: nothing of it is paid. */
export interface RefusalAnswer extends Answer {
  /** As far as it could be read; null if not even its head could be. */
  message: OriginalMessage | null;
  findings: readonly Pick<Finding, 'line' | 'row' | 'column' | 'rule' | 'message'>[];
}

export const isRefused = (facts: TransactionFacts): facts is RefusedFacts => 'findings' in facts;
