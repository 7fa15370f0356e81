import type { OriginalMessage, OriginalTransaction } from '../../domain/bank-message.ts';
import type { Finding } from '../../domain/finding.ts';
import type { CheckVerdict } from '../../domain/payee-check.ts';
import type { PayoutState, Reason } from '../../domain/payout-state.ts';

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
}

/** A file that was refused as a whole: nothing of it is paid. */
export interface RefusalAnswer extends Answer {
  /** As far as it could be read; null when not even its head could. */
  message: OriginalMessage | null;
  findings: readonly Pick<Finding, 'line' | 'row' | 'column' | 'rule' | 'message'>[];
}

export type TransactionFacts = PayoutFacts | RefusedFacts;

export interface PayoutFacts {
  original: OriginalTransaction;
  state: PayoutState;
  reason: Reason | null;
  orderId: string | null;
  /** Whether the account is held under the name of the payee; absent: nobody was asked. */
  verification?: CheckVerdict;
}

/** A row that was never claimed. */
interface RefusedFacts {
  original: OriginalTransaction;
  /** None: it was refused because of other rows of its file. */
  findings: readonly Pick<Finding, 'column' | 'rule' | 'message'>[];
}

export const isRefused = (facts: TransactionFacts): facts is RefusedFacts => 'findings' in facts;
