import type { TransactionFacts } from '../../domain/bank-message.ts';
import type { PayoutState } from '../../domain/payout-state.ts';
import { isRefused, type JudgedStage } from './status-report.ts';

/**
 * Status of one transaction (`TxSts`). A completed payout has left our account, which is ACSC; that the creditor has
 * it (ACCC) is never known.
 */
export type TransactionStatus = 'ACCP' | 'PDNG' | 'ACSP' | 'ACSC' | 'RJCT';

/** `GrpSts` and `PmtInfSts`. */
export type GroupStatus = TransactionStatus | 'ACTC' | 'PART';

/** The way of a transaction that is paid; PDNG stands where people or the bank must act. */
const FORWARD: readonly TransactionStatus[] = ['ACCP', 'PDNG', 'ACSP', 'ACSC', 'RJCT'];

/** A stage says no more than it is about: acceptance, sending, the end. A refusal is said as soon as it is proven. */
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

/** Total over the states. Whatever may still be paid is never RJCT: an ERP pays a rejected invoice again. */
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

/** What a group of transactions is: one status if they share it, PART as soon as some are refused or wait, else the least. */
export function groupStatus(present: Iterable<TransactionStatus>): GroupStatus {
  const statuses = new Set(present);
  const [first] = statuses;
  if (first !== undefined && statuses.size === 1) return first;
  if (statuses.has('RJCT') || statuses.has('PDNG')) return 'PART';
  return FORWARD.find((status) => statuses.has(status)) ?? 'ACTC';
}
