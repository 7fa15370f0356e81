import type { OriginalMessage, RefusedFacts, TransactionFacts } from '../../domain/bank-message.ts';
import type { Finding } from '../../domain/finding.ts';

/** What an answer (pain.002) is made of. The same facts give the same bytes: every id and instant is given. */

/** How far the file is: read, its rows judged, its orders at the bank, nothing more expected without people. */
export type Stage = 'received' | 'validated' | 'sent' | 'final';

/** Stages that say something of every transaction. */
export type JudgedStage = Exclude<Stage, 'received'>;

export type AnswerVersion = 'pain.002.001.03' | 'pain.002.001.10';

interface Answer {
  /** Of the answer itself: 1 to 35 characters. */
  messageId: string;
  /** Epoch milliseconds. */
  createdAt: number;
  /** Default: .10 for a pain.001.001.09, .03 for everything else. */
  version?: AnswerVersion;
}

/** A file that was taken. */
export interface BatchAnswer extends Answer {
  stage: Stage;
  message: OriginalMessage;
  /**
   * Every transaction once, in the order of the file. Called twice: the counts stand before the transactions. What moves on
   * between the two passes keeps the status that was counted.
   */
  transactions(): Iterable<TransactionFacts> | AsyncIterable<TransactionFacts>;
  /** Where an answer of this stage was given before: absent for the first one. */
  supersedes?: Superseded;
}

/** What an answer says anew. It counts all transactions, and lists those that have changed. */
export interface Superseded {
  /** Of the answer that takes its place, from 2. */
  version: number;
  /** Id of the answer before. */
  messageId: string;
  /** Positions of the transactions, from 0. */
  changed: ReadonlySet<number>;
}

/** A file that was refused as a whole: nothing of it is paid. */
export interface RefusalAnswer extends Answer {
  /** As far as it could be read; null when not even its head could. */
  message: OriginalMessage | null;
  findings: readonly Pick<Finding, 'line' | 'row' | 'column' | 'rule' | 'message'>[];
}

export const isRefused = (facts: TransactionFacts): facts is RefusedFacts => 'findings' in facts;
