import type { BankOrder, Observation, ReceivedPost } from './observation.ts';
import { expectedReference } from './references.ts';

/** A run in which everything is right: one payout of 10.05 USD, approved by one person, paid, with a fee of 1.25 USD. */

const T = 1_800_000_000_000;
const MINUTE = 60_000;
const INSTRUCTION = { uid: 'u-1', id: 'doc-1', generation: 0, accountId: 'acc-1', amount: '10.05', currency: 'USD' };
export const REFERENCE = expectedReference(INSTRUCTION, 'payment');
export const EXCHANGE = expectedReference(INSTRUCTION, 'exchange');

export function sampleOrder(change: Partial<BankOrder> = {}): BankOrder {
  return {
    orderId: 'ord-1',
    reference: REFERENCE,
    type: 'PAYMENT',
    direct: 'OUT',
    uid: 'u-1',
    accountId: 'acc-1',
    currency: 'USD',
    amount: '10.05',
    fee: '1.25',
    feeCurrency: 'USD',
    createdAt: T + 2 * MINUTE,
    listedAt: T + 2 * MINUTE,
    statuses: [
      { at: T + 2 * MINUTE, status: 'ACCEPTED' },
      { at: T + 3 * MINUTE, status: 'COMPLETED' },
    ],
    moneyMoved: true,
    ...change,
  };
}

export function samplePost(change: Partial<ReceivedPost> = {}): ReceivedPost {
  return {
    route: 'payment',
    orderId: null,
    receivedAt: T + 2 * MINUTE,
    body: {
      uid: 'u-1',
      account_id: 'acc-1',
      beneficiary_id: 'ben-1',
      reference: REFERENCE,
      amount: '10.05',
      currency: 'USD',
      expired_at: T + 100 * MINUTE,
    },
    committedAt: T + 2 * MINUTE,
    madeId: 'ord-1',
    answered: { httpStatus: 200, code: 0 },
    ...change,
  };
}

export function sampleRun(): Observation {
  return {
    settings: {
      referenceDedupe: 'assumed',
      closedMeans: 'unclear',
      lateCommitMs: 10 * MINUTE,
      listLagMs: 2 * MINUTE,
      approvalRules: [{ approvals: 1 }],
      sendDelayMaxMs: 31_000,
      provesAbsence: true,
    },
    accepted: [{ ...INSTRUCTION, beneficiaryId: 'ben-1', maker: 'mia' }],
    orders: [sampleOrder()],
    posts: [samplePost()],
    beneficiaries: [{ id: 'ben-1', uid: 'u-1', createdAt: T, versions: [{ from: T, items: { account_no: '0001' } }] }],
    fees: [{ from: T, fee: '1.25', feeCurrency: 'USD', currency: 'USD' }],
    accounts: [
      {
        accountId: 'acc-1',
        currency: 'USD',
        opening: '100.00',
        balance: '88.70',
        held: '0.00',
        entries: [
          { at: T + 3 * MINUTE, kind: 'payment', orderId: 'ord-1', amount: '-10.05' },
          { at: T + 3 * MINUTE, kind: 'fee', orderId: 'ord-1', amount: '-1.25' },
        ],
      },
    ],
    attempts: [
      { reference: REFERENCE, attempt: 1, recordedAt: T + 2 * MINUTE - 50, outcome: 'accepted', orderId: 'ord-1' },
    ],
    rows: [
      {
        reference: REFERENCE,
        uid: 'u-1',
        id: 'doc-1',
        generation: 0,
        state: 'completed',
        reasonCode: null,
        orderId: 'ord-1',
        amount: '10.05',
        currency: 'USD',
        fee: '1.25',
        feeCurrency: 'USD',
        endedAt: T + 4 * MINUTE,
        returns: [],
      },
    ],
    statesSeen: [{ at: T + 4 * MINUTE, reference: REFERENCE, state: 'completed' }],
    results: [{ at: T + 4 * MINUTE, reference: REFERENCE, state: 'completed', orderId: 'ord-1', failure: null }],
    interruptions: [],
    decisions: [
      {
        at: T + MINUTE,
        reference: REFERENCE,
        by: 'alice',
        action: 'approve',
        question: { kind: 'payout', askedAt: T + 30_000 },
      },
    ],
    audits: [],
    notedOrders: [],
    switches: [],
    restores: [],
    senders: [],
    foreignCalls: [],
    traffic: [{ minute: T / MINUTE, requests: 12 }],
    calm: { from: T + 5 * MINUTE, until: T + 10 * MINUTE, boundMs: 60 * MINUTE, settled: true },
  };
}

/** The same run in which nothing was sent and an operator is asked. */
export function parkedRun(reasonCode: string): Observation {
  const run = sampleRun();
  const [row] = run.rows;
  return {
    ...run,
    orders: [],
    posts: [],
    attempts: [],
    results: [],
    statesSeen: [],
    accounts: [],
    rows: row === undefined ? [] : [{ ...row, state: 'needs-operator', reasonCode, orderId: null, endedAt: null }],
  };
}
