import type { TransactionFacts } from '../../domain/bank-message.ts';
import { isAtRest, type PayoutState } from '../../domain/payout-state.ts';
import { isRefused, type JudgedStage } from './status-report.ts';

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

/** Whatever may still be paid is never RJCT: an ERP would pay a rejected invoice again. */
const STATUS_OF_STATE: Readonly<Record<PayoutState, TransactionStatus>> = {
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
export function stageOf(byState: ReadonlyMap<PayoutState, number>): JudgedStage {
  const present = [...byState].filter(([, rows]) => rows > 0).map(([state]) => state);
  if (present.every(isAtRest)) return 'final';
  return present.every((state) => isAtRest(state) || isSent(state)) ? 'sent' : 'validated';
}

function isSent(state: PayoutState): boolean {
  return state === 'processing' || state === 'awaiting-bank-approval' || state === 'resolving';
}
