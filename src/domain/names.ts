/**
 * Names other people depend on: workflow types, ids, messages, search attributes. A rename is a new name.
 */

export const TASK_QUEUE = 'payouts';

/** Namespace of every reference (UUIDv5 over `uid/id/kind/generation`). */
export const REFERENCE_NAMESPACE = '6b1f4a3e-8d52-4c0b-9a77-2f6e0c1d5b94';

export type ReferenceKind = 'payment' | 'exchange' | 'transfer';

export const WORKFLOW_TYPES = {
  payout: 'payout',
  payoutBatch: 'payoutBatch',
  orderWatch: 'orderWatch',
  reconciliation: 'reconciliation',
  folderSweep: 'folderSweep',
  cardPayment: 'cardPayment',
} as const;

const PAYOUT = 'payout/';
const BATCH = 'payout-batch/';
const WATCH = 'order-watch/';
const CARD = 'card/';

/** Of the one that goes on for ever; a single pass has an id of its own. */
export const RECONCILIATION_ID = 'reconciliation';

/** Ids of the schedules that sweep a drop folder, and what the ids of their sweeps begin with. */
export const SWEEP_SCHEDULE = 'payouts-intake/';
export const FOLDER_SWEEP = 'folder-sweep/';

export const payoutWorkflowId = (reference: string): string => PAYOUT + reference;
export const batchWorkflowId = (batchId: string): string => BATCH + batchId;
export const orderWatchWorkflowId = (uid: string, currency: string): string => `${WATCH}${uid}/${currency}`;

export const cardWorkflowId = (merchantRequestId: string): string => CARD + merchantRequestId;

/** Task queue of the card vault of one gateway process. */
export const vaultTaskQueue = (vaultId: string): string => `${TASK_QUEUE}-vault/${vaultId}`;

/** The part of a workflow id that names our record: a reference or a batch id; `undefined` for foreign ids. */
export function parseWorkflowId(workflowId: string): { kind: 'payout' | 'batch'; key: string } | undefined {
  if (workflowId.startsWith(PAYOUT)) return { kind: 'payout', key: workflowId.slice(PAYOUT.length) };
  if (workflowId.startsWith(BATCH)) return { kind: 'batch', key: workflowId.slice(BATCH.length) };
  return undefined;
}

export const MESSAGES = {
  approve: 'approve',
  reject: 'reject',
  orderChanged: 'orderChanged',
  ordersOpened: 'ordersOpened',
  reconcileNow: 'reconcileNow',
  decide: 'decide',
  cancel: 'cancel',
  resolve: 'resolve',
  state: 'state',
  pause: 'pause',
  resume: 'resume',
  drain: 'drain',
  progress: 'progress',
  cardEvent: 'cardEvent',
  fingerprintDone: 'fingerprintDone',
  cardholderReturned: 'cardholderReturned',
  provideCard: 'provideCard',
  changeAmount: 'changeAmount',
} as const;

/** Custom search attributes, name -> Temporal type. They never hold personal data: they are not encrypted. */
export const SEARCH_ATTRIBUTES = {
  PayoutBatchId: 'Keyword',
  PayoutState: 'Keyword',
  PayoutCurrency: 'Keyword',
  PayoutOrderId: 'Keyword',
  PayoutReference: 'Keyword',
  PayoutNeedsAttention: 'Bool',
} as const;
