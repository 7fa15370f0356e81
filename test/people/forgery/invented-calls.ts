import { type VaultDeps, vaultActivities } from '../../../src/activities/cards.ts';
import type { ActivityDeps } from '../../../src/activities/deps.ts';
import { folderActivities } from '../../../src/activities/folder-scan.ts';
import { type Activities, createActivities } from '../../../src/activities/index.ts';
import type { VaultActivities } from '../../../src/domain/card-payment.ts';
import { DEFAULT_INSTRUCTION } from '../../support/product.ts';

/** What somebody who reads the histories of a namespace knows of a payout. */
export interface Known {
  /** A claim, or what the caller puts one for. */
  claim: unknown;
  reference: string;
  documentId: string;
  orderId: string;
}

type Invented = (known: Known) => readonly unknown[];

const BECAUSE = { code: 'cancelled-by-request', message: 'says somebody' };
const RESOLVED = { payment: { upTo: 99, as: 'absent' }, exchange: { upTo: 99, as: 'absent' } };
const END = { state: 'rejected', reason: BECAUSE };
const CARD = {
  merchantRequestId: 'card-forged',
  requestId: 'card-forged',
  attempt: 1,
  amount: '1.00',
  currency: 'USD',
};
/** As a column of the row holds it. */
const NOBODY_ASKED = JSON.stringify({
  beneficiary: { known: true, id: DEFAULT_INSTRUCTION.beneficiary_id, digest: 'any' },
  payingAccountId: DEFAULT_INSTRUCTION.account_id,
  fee: '1.00',
  feeCurrency: 'USD',
  digest: 'any',
  approvalsNeeded: 0,
});
const HANDLE = { vault: 'payouts-vault/forged', handle: 'forged' };
const BOTH = ['bob', 'carol'];

/** As many attempts as anybody likes, with members that no sender believes. */
const submits: Invented = ({ claim, reference }) =>
  [1, 2, 3].map((attempt) => ({ claim, attempt, reference, amount: '999.99', by: 'carol', approved: BOTH }));

const driven: Invented = ({ claim, orderId }) =>
  ['payment', 'exchange', 'transfer'].map((orderKind) => ({
    claim,
    orderKind,
    orderId,
    by: 'carol',
    remark: 'no',
    since: 0,
  }));

const asks: Invented = ({ claim }) =>
  ['payout', 'bank', 'hold'].map((question) => ({
    claim,
    question,
    digest: 'any',
    needed: 0,
    said: [{ decision: 'approve', by: 'carol' }],
  }));

/** For every activity there is what a workflow of somebody else would ask of it. */
export const INVENTED: Readonly<Record<keyof Activities, Invented>> = {
  // Before the sends: what it could write is what they go by.
  recordState: ({ claim, orderId }) => [
    { claim, state: 'submitting', reason: null, assessed: NOBODY_ASKED, Assessed: NOBODY_ASKED },
    { claim, state: 'processing', reason: null, orderId },
  ],
  submitPayment: submits,
  submitTransfer: submits,
  submitExchange: submits,
  addBeneficiary: ({ claim }) => [{ claim }, { claim, approved: BOTH }],
  approveOrder: driven,
  rejectOrder: driven,
  prepare: ({ documentId }) => [
    { input: { ...DEFAULT_INSTRUCTION, id: documentId, by: 'alice' }, term: 1, ranBefore: true },
    { input: { ...DEFAULT_INSTRUCTION, id: documentId, amount: '999.99', by: 'alice' } },
    { input: { ...DEFAULT_INSTRUCTION, id: documentId, by: 'alice', generation: 1 } },
  ],
  renewClaim: ({ claim }) => [{ claim }, { claim: { ...(claim as object), term: 0 } }],
  assess: ({ claim }) => [
    { claim, exchanged: true, exchangeSent: true, approved: [{ digest: 'any', by: BOTH }] },
    { claim, exchanged: false, exchangeSent: false, recorded: { state: 'processing', reason: null } },
  ],
  verifyDecisions: asks,
  useDecision: ({ claim }) => [
    { claim, digest: 'resend/', decisionId: 'any' },
    { claim, digest: 'close-as-not-paid/' },
  ],
  auditRefused: ({ claim }) => [{ claim, refused: { action: 'approve', by: 'carol', why: 'invented' } }],
  readOrder: ({ claim, orderId }) => [
    {
      ...{ as: 'followed', claim, orderKind: 'payment', orderId, closedMeans: 'failed' },
      confirms: { meaning: 'failed', resolved: RESOLVED },
    },
    {
      ...{ as: 'followed', claim, orderKind: 'exchange', orderId, closedMeans: 'paid' },
      thenAssess: { exchanged: true, exchangeSent: true },
    },
  ],
  findOrder: ({ claim }) => [{ claim, orderKind: 'payment', since: 0, resolved: RESOLVED }],
  closePayout: ({ claim }) => [{ claim, ...END, resolved: {}, by: 'carol' }],
  awaitBank: () => [{ accountId: 'acc-u1001-usd' }],
  // Asks nothing, and waits to be completed.
  awaitOrderEnd: () => [],
  awaitFunds: ({ reference }) => [{ accountId: 'acc-u1001-usd', needs: '1.00', reference }],
  runBatch: () => [
    { batchId: 'open', untilSettled: 0 },
    { batchId: 'of nobody', untilSettled: 0 },
  ],
  setBatchControl: () => [{ batchId: 'open', control: 'running', by: 'mallory' }],
  approveRows: () => [{ batchId: 'open', by: 'carol', note: 'all of them' }],
  pollOrders: () => [{ uid: 'u-1001', currency: 'USD' }],
  planReconciliation: () => [{ after: null, days: 9 }],
  reconcileOrders: () => [{ uid: 'u-1001', currency: 'USD', since: 0 }],
  resumeUnended: () => [undefined],
  prepareCard: () => [{ input: { merchant_request_id: CARD.merchantRequestId, amount: '1.00', currency: 'USD' } }],
  recordCardState: () => [{ merchantRequestId: CARD.merchantRequestId, state: 'succeeded', reason: null }],
  resumePayment: () => [{ ...CARD, paymentId: 'pay-forged', referenceId: null, paymentType: 'DEBIT' }],
  retrievePayment: () => [{ paymentId: 'pay-forged' }],
  claimPayment: () => [{ merchantRequestId: CARD.merchantRequestId, paymentId: 'pay-forged' }],
};

/** The same for what runs beside the queue of payouts. */
export const INVENTED_ELSEWHERE: Readonly<Record<keyof VaultActivities | 'scanFolder', Invented>> = {
  setUpCard: () => [{ ...CARD, card: HANDLE }],
  createCardPayment: () => [{ ...CARD, card: HANDLE, paymentType: 'DEBIT', referenceId: null, keepCard: true }],
  forgetCard: () => [HANDLE],
  scanFolder: () => [{ dir: 'no-such-folder', invalid: 'skip', by: 'alice' }],
};

/** The activities that the product has, by what it exports. */
export const ACTIVITIES = Object.keys(
  createActivities({ bank: {}, settings: {}, store: {} } as unknown as ActivityDeps),
);

export const ACTIVITIES_ELSEWHERE = [
  ...Object.keys(vaultActivities({} as VaultDeps)),
  ...Object.keys(folderActivities([], async () => ({ taken: 0, refused: 0, ended: 0, open: 0 }))),
];

/** Every call of every activity. */
export const inventedCalls = (known: Known): { activity: string; input: unknown }[] =>
  Object.entries(INVENTED).flatMap(([activity, invented]) => invented(known).map((input) => ({ activity, input })));
