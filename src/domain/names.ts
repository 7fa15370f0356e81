/** Names that others depend on: workflow types, ids, messages, search attributes. Renaming one breaks them. */

export const TASK_QUEUE = 'payouts';
/** To which endpoints of Nexus lead. */
export const NEXUS_TASK_QUEUE = 'payouts-nexus';
/** Where their calls ask for a cancel: however many of them wait for an end. */
export const NEXUS_CANCEL_QUEUE = 'payouts-nexus-cancel';

/** Namespace of every reference (UUIDv5 over `uid/id/kind/generation`). */
export const REFERENCE_NAMESPACE = '6b1f4a3e-8d52-4c0b-9a77-2f6e0c1d5b94';

/** Which order of a row, and so what its reference is made from. */
export type OrderKind = 'payment' | 'exchange' | 'transfer';

export const WORKFLOW_TYPES = {
  payout: 'payout',
  internalTransfer: 'internalTransfer',
  currencyExchange: 'currencyExchange',
  payoutBatch: 'payoutBatch',
  orderWatch: 'orderWatch',
  reconciliation: 'reconciliation',
  folderScan: 'folderScan',
  cardPayment: 'cardPayment',
  payoutCall: 'payoutCall',
} as const;

/** What a row of the store is, for its whole life: a payout, a transfer between own accounts, or a stand-alone exchange. */
export const PAYOUT_KINDS = ['payout', 'transfer', 'exchange'] as const;
export type PayoutKind = (typeof PAYOUT_KINDS)[number];

/** `orderKinds`: the orders of a kind; the first one ends the row and is sent under the row's reference. */
interface KindNames {
  workflowType: (typeof WORKFLOW_TYPES)[keyof typeof WORKFLOW_TYPES];
  prefix: string;
  orderKinds: readonly [OrderKind, ...OrderKind[]];
}

const KINDS: Readonly<Record<PayoutKind, KindNames>> = {
  payout: { workflowType: WORKFLOW_TYPES.payout, prefix: 'payout/', orderKinds: ['payment', 'exchange'] },
  transfer: { workflowType: WORKFLOW_TYPES.internalTransfer, prefix: 'transfer/', orderKinds: ['transfer'] },
  exchange: { workflowType: WORKFLOW_TYPES.currencyExchange, prefix: 'exchange/', orderKinds: ['exchange'] },
};

const BATCH = 'payout-batch/';
const WATCH = 'order-watch/';
const CARD = 'card/';

/** Id of the reconciliation that runs for ever; a single pass has its own id. */
export const RECONCILIATION_ID = 'reconciliation';

/** Id prefixes of the schedules that scan a drop folder, and of the scans they start. */
export const FOLDER_SCHEDULE = 'payouts-intake/';
export const FOLDER_SCAN = 'folder-scan/';

export const payoutWorkflowId = (reference: string, kind: PayoutKind = 'payout'): string =>
  KINDS[kind].prefix + reference;
/** The reference in the workflow id of a payout. */
export const payoutReference = (workflowId: string): string => workflowId.slice(KINDS.payout.prefix.length);
export const workflowTypeOf = (kind: PayoutKind): string => KINDS[kind].workflowType;
/** The orders that a row may send. */
export const orderKindsOf = (kind: PayoutKind): readonly OrderKind[] => KINDS[kind].orderKinds;
/** The order that ends a row, sent under the row's reference. */
export const mainOrderKindOf = (kind: PayoutKind): OrderKind => KINDS[kind].orderKinds[0];
export const payoutCallId = (reference: string): string => `payout-call/${reference}`;
export const batchWorkflowId = (batchId: string): string => BATCH + batchId;
export const orderWatchWorkflowId = (uid: string, currency: string): string => `${WATCH}${uid}/${currency}`;

export const cardWorkflowId = (merchantRequestId: string): string => CARD + merchantRequestId;

/** Task queue of the card vault in one gateway process. */
export const vaultTaskQueue = (vaultId: string): string => `${TASK_QUEUE}-vault/${vaultId}`;

/** The reference or batch id in a workflow id; `undefined` for other ids. */
export function parseWorkflowId(workflowId: string): { kind: 'payout' | 'batch'; key: string } | undefined {
  for (const { prefix } of Object.values(KINDS)) {
    if (workflowId.startsWith(prefix)) return { kind: 'payout', key: workflowId.slice(prefix.length) };
  }
  if (workflowId.startsWith(BATCH)) return { kind: 'batch', key: workflowId.slice(BATCH.length) };
  return undefined;
}

/** Id of the activity in which the watch notifies a run how an order ended; one for each order, for a run may follow several. */
export const orderEndActivityId = (orderId: string): string => `end-of-order/${orderId}`;

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

/** Custom search attributes, name -> Temporal type. They are not encrypted, so they never hold personal data. */
export const SEARCH_ATTRIBUTES = {
  PayoutBatchId: 'Keyword',
  PayoutState: 'Keyword',
  PayoutCurrency: 'Keyword',
  PayoutOrderId: 'Keyword',
  PayoutReference: 'Keyword',
  PayoutDocument: 'Keyword',
  PayoutUid: 'Keyword',
  PayoutNeedsAttention: 'Bool',
} as const;

export const WHAT_AN_ID_IS =
  'An ID is a batch id, a reference, a workflow id, an order id, a document id, an unambiguous prefix of one of these (at least 4 characters), or `latest` for the newest batch.';
