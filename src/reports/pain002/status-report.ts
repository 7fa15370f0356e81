import type { OriginalMessage, RefusedFacts, TransactionFacts } from '../../domain/bank-message.ts';
import type { Finding } from '../../domain/finding.ts';
import { isSettled, type ShownState } from '../../domain/payout-state.ts';

/** The content of an answer (pain.002). The same facts give the same bytes: every id and time is an input. */

/** Progress of a file: received; rows judged; orders at the bank; all rows settled. */
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
  version?: AnswerVersion | undefined;
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

/**
 * Status of one transaction (`TxSts`). A completed payout has left our account, which is ACSC; whether the creditor has received
 * it (ACCC) is never known.
 */
export type TransactionStatus = 'ACCP' | 'PDNG' | 'ACSP' | 'ACSC' | 'RJCT';

/** `GrpSts` and `PmtInfSts`. */
export type GroupStatus = TransactionStatus | 'ACTC' | 'PART';

/** In order of progress; PDNG while people or the bank must act. */
const FORWARD: readonly TransactionStatus[] = ['ACCP', 'PDNG', 'ACSP', 'ACSC', 'RJCT'];

/** A stage reports only what it is about: acceptance, sending, the end. A refusal is reported as soon as it is proven. */
const SAYS_AT_MOST: Readonly<Record<JudgedStage, readonly TransactionStatus[]>> = {
  validated: ['ACCP', 'PDNG', 'RJCT'],
  sent: ['ACCP', 'PDNG', 'ACSP', 'RJCT'],
  final: FORWARD,
};

export function transactionStatus(facts: TransactionFacts, stage: JudgedStage): TransactionStatus {
  const status = isRefused(facts) ? 'RJCT' : STATUS_OF_STATE[facts.state];
  if (SAYS_AT_MOST[stage].includes(status)) return status;
  return stage === 'validated' ? 'ACCP' : 'ACSP';
}

/** A row that may still be paid is never RJCT: an ERP would pay a rejected invoice again. */
const STATUS_OF_STATE: Readonly<Record<ShownState, TransactionStatus>> = {
  received: 'ACCP',
  preparing: 'ACCP',
  scheduled: 'ACCP',
  held: 'PDNG',
  'awaiting-funds': 'PDNG',
  'awaiting-approval': 'PDNG',
  converting: 'ACCP',
  submitting: 'ACCP',
  resolving: 'PDNG',
  'awaiting-bank-approval': 'PDNG',
  processing: 'ACSP',
  'needs-operator': 'PDNG',
  returned: 'PDNG',
  completed: 'ACSC',
  failed: 'RJCT',
  rejected: 'RJCT',
  cancelled: 'RJCT',
};

/** Status of a group of transactions: their common one; PART if some are refused or wait; else the least advanced. */
export function groupStatus(present: Iterable<TransactionStatus>): GroupStatus {
  const statuses = new Set(present);
  const [first] = statuses;
  if (first !== undefined && statuses.size === 1) return first;
  if (statuses.has('RJCT') || statuses.has('PDNG')) return 'PART';
  return FORWARD.find((status) => statuses.has(status)) ?? 'ACTC';
}

/**
 * The stage of a batch, by the states of its payouts; refused rows need not be counted. A batch with payouts for a later day
 * stays at `validated` until the last order is sent.
 */
export function stageOf(byState: ReadonlyMap<ShownState, number>): JudgedStage {
  const present = [...byState].filter(([, rows]) => rows > 0).map(([state]) => state);
  if (present.every(isSettled)) return 'final';
  return present.every((state) => isSettled(state) || isSent(state)) ? 'sent' : 'validated';
}

function isSent(state: ShownState): boolean {
  return state === 'processing' || state === 'awaiting-bank-approval' || state === 'resolving';
}
