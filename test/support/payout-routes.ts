import type { WorkflowHandle } from '@temporalio/client';
import { payloadDigest, referenceOf } from '../../src/domain/identity.ts';
import { payoutWorkflowId } from '../../src/domain/names.ts';
import type { PayoutState } from '../../src/domain/payout-state.ts';
import type { WorkerSettings } from '../../src/domain/settings.ts';
import type { SandboxOptions } from '../../src/sandbox/start-sandbox.ts';
import type { Store } from '../../src/store/store.ts';
import type { PayoutStateView } from '../../src/workflows/messages.ts';
import type { PayoutResult } from '../../src/workflows/payout.ts';
import { PAYEE_FIELDS } from './payee.ts';
import { DEFAULT_INSTRUCTION, DEFAULT_PAYMENT, type Product, type QuickTerms } from './product.ts';
import { HANGS_MS, until as untilTrue } from './until.ts';

export type PayoutHandle = WorkflowHandle<() => Promise<PayoutResult>>;

/** One way through the life of a payout: the same list is tested, counted and recorded for replay. */
export interface PayoutRoute {
  name: string;
  settings?: Partial<Omit<WorkerSettings, 'terms'>>;
  terms?: QuickTerms;
  sandbox?: Partial<SandboxOptions>;
  store?: (store: Store) => Store;
  /** Payees are checked by the sandbox. */
  checks?: boolean;
  travel(product: Product): Promise<PayoutHandle>;
  ends: Partial<PayoutResult>;
  /** Code of the reason, where the end has one. */
  because?: string;
  /** Highest number of history events; absent where no budget is set. */
  eventsMax?: number;
  /** How often the order watch notifies of a change, within that budget; absent: once. */
  notices?: number;
  /** Orders at the bank under the payout's reference. */
  orders?: number;
}

/** A payee of USD personal, local: nobody's real details. */
export const NEW_PAYEE = { ...PAYEE_FIELDS, beneficiary_id: undefined, account_no: '123456789' };

/** Reads a decision's effect when a slow machine has finished it, too: what counts is the events of one read. */
const AFTER_THE_BANK = { waits: { pollMs: 2_000 } };
const approvedByTwo = { approvalRules: [{ approvals: 2 }] };

/** The run is notified of the end in an activity, and reads nothing. */
export const PLAIN = {
  name: 'plain',
  ends: { state: 'completed' },
  eventsMax: 19,
  notices: 0,
  orders: 1,
} as const satisfies Omit<PayoutRoute, 'travel'>;

export const PAYOUT_ROUTES: readonly PayoutRoute[] = [
  { ...PLAIN, travel: (p) => p.start({ id: 'r' }) },
  {
    // The wait for the end began before its audit, and is over after that.
    name: 'told-of-its-end-after-its-audit',
    terms: AFTER_THE_BANK,
    travel: async (p) => {
      const handle = await p.start({ id: 'r', note: 'sandbox:audit' });
      await until(handle, 'awaiting-bank-approval');
      await handle.signal('approve', { by: 'alice' });
      return handle;
    },
    ends: { state: 'completed' },
    eventsMax: 36,
    notices: 2,
    orders: 1,
  },
  {
    name: 'new-beneficiary',
    travel: (p) => p.start({ id: 'r', ...NEW_PAYEE }),
    ends: { state: 'completed' },
    eventsMax: 28,
    orders: 1,
  },
  {
    name: 'exchange',
    travel: (p) => p.start({ id: 'r', account_id: 'acc-u1001-eur' }),
    ends: { state: 'completed' },
    eventsMax: 30,
    notices: 2,
    orders: 1,
  },
  {
    name: 'approval-before-submit',
    settings: { approvalRules: [{ approvals: 1 }] },
    travel: async (p) => {
      const handle = await p.start({ id: 'r' }, { by: 'maker' });
      await until(handle, 'awaiting-approval');
      await handle.signal('approve', { by: 'checker' });
      return handle;
    },
    ends: { state: 'completed' },
    eventsMax: 28,
    orders: 1,
  },
  {
    name: 'approval-by-two',
    settings: approvedByTwo,
    travel: async (p) => {
      const handle = await p.start({ id: 'r' }, { by: 'maker' });
      await until(handle, 'awaiting-approval');
      await handle.signal('approve', { by: 'maker' });
      await handle.signal('approve', { by: 'ann' });
      await handle.signal('approve', { by: 'ann' });
      const { digest } = await awaited(handle);
      await handle.executeUpdate('decide', { args: [{ decisionId: 'd1', decision: 'approve', by: 'bob', digest }] });
      return handle;
    },
    ends: { state: 'completed' },
    orders: 1,
  },
  {
    name: 'approval-rejected',
    settings: { approvalRules: [{ approvals: 1 }] },
    travel: async (p) => {
      const handle = await p.start({ id: 'r' }, { by: 'maker' });
      await until(handle, 'awaiting-approval');
      await handle.signal('reject', { by: 'checker', remark: 'wrong payee' });
      return handle;
    },
    ends: { state: 'rejected' },
    because: 'approval-rejected',
    orders: 0,
  },
  {
    name: 'approval-expired',
    settings: { approvalRules: [{ approvals: 1 }] },
    terms: { waits: { approvalTtlMs: 500 } },
    travel: (p) => p.start({ id: 'r' }, { by: 'maker' }),
    ends: { state: 'rejected' },
    because: 'approval-expired',
    orders: 0,
  },
  {
    name: 'bank-approval',
    terms: AFTER_THE_BANK,
    travel: async (p) => {
      const handle = await p.start({ id: 'r', note: 'sandbox:audit' });
      await until(handle, 'awaiting-bank-approval');
      await handle.signal('approve', { by: 'alice' });
      return handle;
    },
    ends: { state: 'completed' },
    eventsMax: 36,
    notices: 2,
    orders: 1,
  },
  {
    name: 'bank-approval-by-update',
    travel: async (p) => {
      const handle = await p.start({ id: 'r', note: 'sandbox:audit' });
      await until(handle, 'awaiting-bank-approval');
      const { digest } = await awaited(handle);
      await handle.executeUpdate('decide', { args: [{ decisionId: 'd1', decision: 'approve', by: 'alice', digest }] });
      return handle;
    },
    ends: { state: 'completed' },
    orders: 1,
  },
  {
    name: 'exchange-and-bank-approval',
    sandbox: { auditThreshold: { USD: '12.00' } },
    terms: AFTER_THE_BANK,
    travel: async (p) => {
      const handle = await p.start({ id: 'r', account_id: 'acc-u1001-eur' });
      await until(handle, 'awaiting-bank-approval');
      await handle.signal('approve', { by: 'alice' });
      return handle;
    },
    ends: { state: 'completed' },
    eventsMax: 48,
    notices: 3,
    orders: 1,
  },
  {
    name: 'payee-changed-in-the-audit',
    travel: async (p) => {
      const handle = await p.start({ id: 'r', note: 'sandbox:audit' });
      await until(handle, 'awaiting-bank-approval');
      await changePayee(p);
      await handle.signal('approve', { by: 'alice' });
      await untilReason(handle, 'beneficiary-changed');
      await handle.signal('reject', { by: 'alice', remark: 'the payee was changed' });
      return handle;
    },
    ends: { state: 'rejected' },
    because: 'approval-rejected',
    orders: 1,
  },
  {
    name: 'exchange-booked-above-the-cap',
    sandbox: { profile: { fxDriftBasisPoints: 300 } },
    travel: async (p) => {
      const handle = await p.start({ id: 'r', account_id: 'acc-u1001-eur' });
      await until(handle, 'held');
      await handle.signal('approve', { by: 'alice' });
      return handle;
    },
    ends: { state: 'completed' },
    orders: 1,
  },
  {
    name: 'failed-after-its-exchange',
    travel: (p) => p.start({ id: 'r', account_id: 'acc-u1001-eur', note: 'sandbox:fail' }),
    ends: {
      state: 'failed',
      reason: {
        code: 'bank-failed',
        message: 'the bank reports the order as failed; the exchange stays as booked',
      },
    },
    because: 'bank-failed',
    orders: 1,
  },
  {
    name: 'bank-rejection',
    travel: async (p) => {
      const handle = await p.start({ id: 'r', note: 'sandbox:audit' });
      await until(handle, 'awaiting-bank-approval');
      await handle.signal('reject', { by: 'alice', remark: 'not ours' });
      return handle;
    },
    ends: { state: 'rejected' },
    because: 'approval-rejected',
    orders: 1,
  },
  {
    name: 'decided-at-the-bank',
    travel: async (p) => {
      const handle = await p.start({ id: 'r', note: 'sandbox:audit' });
      const { orderId } = await until(handle, 'awaiting-bank-approval');
      await p.sandboxTest('POST', `orders/${orderId}/status`, { status: 'APPROVED' });
      return handle;
    },
    ends: { state: 'completed' },
    orders: 1,
  },
  {
    name: 'cancelled-while-awaiting-approval',
    settings: { approvalRules: [{ approvals: 1 }] },
    travel: async (p) => {
      const handle = await p.start({ id: 'r' }, { by: 'maker' });
      await until(handle, 'awaiting-approval');
      await cancel(handle, { by: 'alice', reason: 'withdrawn' });
      return handle;
    },
    ends: { state: 'cancelled' },
    because: 'cancelled-by-request',
    orders: 0,
  },
  {
    name: 'cancelled-in-the-bank-audit',
    travel: async (p) => {
      const handle = await p.start({ id: 'r', note: 'sandbox:audit' });
      await until(handle, 'awaiting-bank-approval');
      await handle.cancel();
      return handle;
    },
    ends: { state: 'cancelled' },
    because: 'cancelled-by-request',
    orders: 1,
  },
  {
    name: 'failed-at-the-bank',
    travel: (p) => p.start({ id: 'r', note: 'sandbox:fail' }),
    ends: { state: 'failed' },
    because: 'bank-failed',
    orders: 1,
  },
  {
    name: 'refused-as-invalid',
    travel: (p) => p.start({ id: 'r', charge_type: 'OUR' }),
    ends: { state: 'failed' },
    because: 'invalid-instruction',
    orders: 0,
  },
  {
    name: 'scheduled',
    travel: async (p) => {
      const handle = await p.start({ id: 'r', execute_on: '2999-01-01' });
      await until(handle, 'scheduled');
      await cancel(handle, { by: 'alice', reason: 'withdrawn' });
      return handle;
    },
    ends: { state: 'cancelled' },
    because: 'cancelled-by-request',
    orders: 0,
  },
  {
    name: 'short-of-money',
    travel: async (p) => {
      await p.sandboxTest('POST', 'accounts', {
        uid: 'u-1001',
        currency: 'USD',
        account_id: 'acc-poor',
        balance: '1.00',
      });
      const handle = await p.start({ id: 'r', account_id: 'acc-poor' });
      await until(handle, 'awaiting-funds');
      await p.sandboxTest('POST', 'accounts/acc-poor/deposit', { amount: '100.00' });
      return handle;
    },
    ends: { state: 'completed' },
    orders: 1,
  },
  {
    name: 'funds-patience-over',
    terms: { waits: { fundsPatienceMs: 600 } },
    travel: async (p) => {
      await p.sandboxTest('POST', 'accounts', {
        uid: 'u-1001',
        currency: 'USD',
        account_id: 'acc-poor',
        balance: '1.00',
      });
      return p.start({ id: 'r', account_id: 'acc-poor' });
    },
    ends: { state: 'failed' },
    because: 'funds-patience-over',
    orders: 0,
  },
  {
    name: 'held-over-fee',
    travel: async (p) => {
      const handle = await p.start({ id: 'r', fee_cap: '0.01' });
      await until(handle, 'held');
      await handle.signal('approve', { by: 'alice' });
      return handle;
    },
    ends: { state: 'completed' },
    orders: 1,
  },
  {
    name: 'account-frozen',
    travel: async (p) => {
      await p.sandboxTest('POST', 'accounts/acc-u1001-gbp/freeze');
      const handle = await p.start({
        id: 'r',
        account_id: 'acc-u1001-gbp',
        currency: 'GBP',
        beneficiary_id: 'ben-u1001-gbp-local',
      });
      await until(handle, 'held');
      await p.sandboxTest('POST', 'accounts/acc-u1001-gbp/unfreeze');
      return handle;
    },
    ends: { state: 'completed' },
    orders: 1,
  },
  {
    name: 'answer-lost-after-commit',
    travel: async (p) => {
      await p.sandboxTest('POST', 'faults', { operation: 'transactions.payment', kind: 'drop-after' });
      return p.start({ id: 'r' });
    },
    ends: { state: 'completed' },
    orders: 1,
  },
  {
    name: 'sender-without-an-answer',
    // The first sender pauses before it records its attempt, and goes on after the activity's time of 45 s is over, while
    // the payout is still under way.
    store: (store) => {
      let calls = 0;
      return {
        ...store,
        openOrder: async (request) => {
          calls += 1;
          if (calls === 1) await new Promise((resolve) => setTimeout(resolve, 45_600));
          return store.openOrder(request);
        },
      };
    },
    travel: (p) => p.start({ id: 'r' }),
    ends: { state: 'completed' },
    orders: 1,
  },
  {
    name: 'sender-heard-late',
    // The first sender finds everything switched off, sends nothing, and pauses before it says so until the activity's time
    // of 45 s is over.
    terms: { referenceDedupe: 'none' },
    store: (store) => {
      let sends = 0;
      let isAsked = false;
      return {
        ...store,
        openOrder: (request) => {
          sends += 1;
          isAsked = sends === 1;
          return store.openOrder(request);
        },
        matchingSwitch: async (touched) => {
          if (!isAsked) return store.matchingSwitch(touched);
          isAsked = false;
          return 'everything';
        },
        finishAttempt: async (reference, attempt, result) => {
          if (attempt === 1) await new Promise((resolve) => setTimeout(resolve, 46_000));
          return store.finishAttempt(reference, attempt, result);
        },
      };
    },
    travel: (p) => p.start({ id: 'r' }),
    ends: { state: 'completed' },
    orders: 1,
  },
  {
    name: 'answer-lost-without-commit',
    travel: async (p) => {
      await p.sandboxTest('POST', 'faults', { operation: 'transactions.payment', kind: 'drop-before' });
      return p.start({ id: 'r' });
    },
    ends: { state: 'completed' },
    orders: 1,
  },
  {
    name: 'said-short-of-money-but-committed',
    travel: async (p) => {
      await p.sandboxTest('POST', 'faults', {
        operation: 'transactions.payment',
        kind: 'code',
        code: 2010,
        commit: true,
      });
      return p.start({ id: 'r' });
    },
    // The bank says "balance not enough" and commits: a lie that no client can see through on a clean first attempt, so
    // the payout waits for funds and its next attempt meets its own order (2003).
    ends: { state: 'completed' },
    orders: 1,
  },
  {
    name: 'proven-absent-and-never-resent',
    terms: { referenceDedupe: 'none' },
    travel: async (p) => {
      await p.sandboxTest('POST', 'faults', { operation: 'transactions.payment', kind: 'drop-before' });
      const handle = await p.start({ id: 'r' });
      await until(handle, 'needs-operator');
      await handle.executeUpdate('resolve', {
        args: [{ action: 'close-as-not-paid', by: 'alice', evidence: 'statement of today' }],
      });
      return handle;
    },
    ends: { state: 'failed' },
    because: 'closed-by-operator',
    orders: 0,
  },
  {
    name: 'proven-absent-after-the-looks-were-over',
    terms: { waits: { lateCommitMs: 300, listLagMs: 100 } },
    travel: async (p) => {
      await readAt(p);
      // A list that says it has more than it shows: no read can prove anything.
      await p.sandboxTest('PUT', 'profile', { listTotal: 'one-more' });
      await p.sandboxTest('POST', 'faults', { operation: 'transactions.payment', kind: 'drop-before' });
      const handle = await p.start({ id: 'r' });
      await until(handle, 'needs-operator');
      await p.sandboxTest('PUT', 'profile', { listTotal: 'exact' });
      return handle;
    },
    ends: { state: 'completed' },
    orders: 1,
  },
  {
    name: 'closed-by-two-people-though-no-look-proves-anything',
    terms: { waits: { lateCommitMs: 300, listLagMs: 100 } },
    travel: async (p) => {
      await readAt(p);
      await p.sandboxTest('PUT', 'profile', { listTotal: 'one-more' });
      await p.sandboxTest('POST', 'faults', { operation: 'transactions.payment', kind: 'drop-before' });
      const handle = await p.start({ id: 'r' });
      await until(handle, 'needs-operator');
      const closedBy = async (by: string): Promise<{ accepted: boolean; message: string }> =>
        handle.executeUpdate<{ accepted: boolean; message: string }, [object]>('resolve', {
          args: [{ action: 'close-as-not-paid', by, evidence: `statement read by ${by}` }],
        });
      const answers = [await closedBy('alice'), await closedBy('Alice '), await closedBy('bob')];
      if (answers.map(({ accepted }) => accepted).join() !== 'false,false,true') {
        throw new Error(`one person closed it, or two could not: ${JSON.stringify(answers)}`);
      }
      return handle;
    },
    ends: {
      state: 'failed',
      reason: { code: 'closed-by-operator', message: 'an operator closed it as not paid (by alice and bob)' },
    },
    because: 'closed-by-operator',
    orders: 0,
  },
  {
    name: 'status-unclear',
    travel: async (p) => {
      const handle = await p.start({ id: 'r', note: 'sandbox:close' });
      const { orderId } = await until(handle, 'needs-operator');
      await p.sandboxTest('POST', `orders/${orderId}/status`, { status: 'COMPLETED', stay: true });
      return handle;
    },
    ends: { state: 'completed' },
    orders: 1,
  },
  {
    name: 'beneficiary-answer-lost',
    travel: async (p) => {
      await p.sandboxTest('POST', 'faults', { operation: 'beneficiaries.add', kind: 'drop-after' });
      return p.start({ id: 'r', ...NEW_PAYEE });
    },
    ends: { state: 'completed' },
    orders: 1,
  },
  {
    name: 'switched-off',
    travel: async (p) => {
      await p.store.switchOff(USD_SWITCH);
      const handle = await p.start({ id: 'r' });
      await until(handle, 'held');
      // Nobody can approve a switch into sending: it is only checked again.
      await handle.signal('approve', { by: 'alice' });
      await untilTrue(async () => (await evidenceOf(handle)).some((what) => what.startsWith('approve by')));
      await until(handle, 'held');
      await p.store.switchOn(USD_SWITCH);
      return handle;
    },
    ends: { state: 'completed' },
    orders: 1,
  },
  {
    name: 'switched-off-before-the-send',
    store: (store) => switchedOffOnce(store, 'openOrder'),
    travel: async (p) => {
      const handle = await p.start({ id: 'r' });
      await until(handle, 'held');
      await p.store.switchOn(USD_SWITCH);
      return handle;
    },
    ends: { state: 'completed' },
    orders: 1,
  },
  {
    name: 'exchange-switched-off-before-the-send',
    store: (store) => switchedOffOnce(store, 'openOrder'),
    travel: async (p) => {
      const handle = await p.start({ id: 'r', account_id: 'acc-u1001-eur' });
      await until(handle, 'held');
      await p.store.switchOn(USD_SWITCH);
      return handle;
    },
    ends: { state: 'completed' },
    orders: 1,
  },
  {
    name: 'switched-off-in-the-bank-audit',
    travel: async (p) => {
      const handle = await p.start({ id: 'r', note: 'sandbox:audit' });
      await until(handle, 'awaiting-bank-approval');
      await p.store.switchOff(USD_SWITCH);
      await handle.signal('approve', { by: 'alice' });
      await untilReason(handle, 'switched-off');
      await p.store.switchOn(USD_SWITCH);
      await handle.signal('approve', { by: 'alice' });
      return handle;
    },
    ends: { state: 'completed' },
    orders: 1,
  },
  {
    name: 'answer-lost-and-switched-off',
    // Dedupe `verified` would send again at once: the switch keeps it from that, and the searches go on.
    terms: { referenceDedupe: 'verified' },
    store: (store) => switchedOffOnce(store, 'finishAttempt'),
    travel: async (p) => {
      await p.sandboxTest('POST', 'faults', { operation: 'transactions.payment', kind: 'drop-before' });
      const handle = await p.start({ id: 'r' });
      await until(handle, 'held');
      await p.store.switchOn(USD_SWITCH);
      return handle;
    },
    ends: { state: 'completed' },
    orders: 1,
  },
  {
    name: 'answer-lost-and-refused-ever-after',
    // More often than an answer may be lost: what the bank has refused has repeated nothing, and after the proof it is a refusal.
    terms: { referenceDedupe: 'verified' },
    travel: async (p) => {
      const refused = { operation: 'transactions.payment', kind: 'code', code: 2007, commit: false };
      await p.sandboxTest('POST', 'faults', { operation: 'transactions.payment', kind: 'drop-before' });
      await p.sandboxTest('POST', 'faults', { ...refused, times: 7 });
      return p.start({ id: 'r' });
    },
    ends: { state: 'completed' },
    orders: 1,
  },
  {
    name: 'look-alike',
    travel: async (p) => {
      await claimLookAlike(p);
      const handle = await p.start({ id: 'r' });
      await until(handle, 'held');
      await handle.signal('approve', { by: 'alice' });
      return handle;
    },
    ends: { state: 'completed' },
    orders: 1,
  },
  {
    name: 'payee-checked',
    checks: true,
    travel: (p) => p.start({ id: 'r', ...NEW_PAYEE }),
    ends: { state: 'completed' },
    eventsMax: 28,
    orders: 1,
  },
  {
    name: 'close-match-let-through',
    checks: true,
    travel: async (p) => {
      const handle = await p.start({ id: 'r', ...NEW_PAYEE, account_name: 'Eve Close' });
      await untilReason(handle, 'payee-close-match');
      await handle.signal('approve', { by: 'alice' });
      return handle;
    },
    ends: { state: 'completed' },
    orders: 1,
  },
  {
    name: 'screening-hit-rejected',
    checks: true,
    travel: async (p) => {
      const handle = await p.start({ id: 'r', ...NEW_PAYEE, account_name: 'Eve Sanctioned' });
      await untilReason(handle, 'screening-hit');
      await handle.signal('reject', { by: 'alice', remark: 'on the list' });
      return handle;
    },
    ends: { state: 'rejected' },
    because: 'approval-rejected',
    orders: 0,
  },
  {
    name: 'begun-on-its-day',
    travel: (p) => p.start({ id: 'r' }, { delayMs: 1_000 }),
    ends: { state: 'completed' },
    eventsMax: 21,
    orders: 1,
  },
  {
    name: 'cancelled-before-its-day',
    travel: async (p) => {
      const handle = await p.start({ id: 'r', execute_on: '2999-01-01' }, { delayMs: 3_600_000 });
      await cancel(handle, { by: 'alice', reason: 'withdrawn' });
      return handle;
    },
    ends: { state: 'cancelled' },
    because: 'cancelled-by-request',
    orders: 0,
  },
  {
    name: 'exchange-answer-lost',
    travel: async (p) => {
      await p.sandboxTest('POST', 'faults', { operation: 'transactions.fx', kind: 'drop-after' });
      return p.start({ id: 'r', account_id: 'acc-u1001-eur' });
    },
    ends: { state: 'completed' },
    orders: 1,
  },
];

export const USD_SWITCH = { scope: 'currency', key: 'USD', reason: 'test', by: 'alice', at: 1 } as const;

/** The switch for USD goes off the first time that the product calls this method of its store. */
export function switchedOffOnce(store: Store, method: 'openOrder' | 'finishAttempt' | 'recordAttempt'): Store {
  let isFirst = true;
  return {
    ...store,
    [method]: async (...args: unknown[]) => {
      if (isFirst) await store.switchOff(USD_SWITCH);
      isFirst = false;
      return (store[method] as (...given: unknown[]) => Promise<unknown>)(...args);
    },
  };
}

/** Claims the payout `r` as one that looks like an earlier one of another document. */
async function claimLookAlike(product: Product): Promise<void> {
  const rows = ['earlier', 'r'].map((id, index) => {
    const instruction = { ...DEFAULT_INSTRUCTION, id };
    const reference = referenceOf(instruction.uid, id);
    const workflowId = payoutWorkflowId(reference);
    return { row: index + 1, reference, workflowId, instruction, payloadDigest: payloadDigest(instruction) };
  });
  const [earlier, alike] = rows;
  if (earlier === undefined || alike === undefined) throw new Error('two rows are claimed');
  const batch = { file: 'test.csv', sha256: 'x', by: null };
  const day = 24 * 3_600_000;
  await product.store.claimBatch({ ...batch, batchId: 'b-1', rows: [earlier], at: Date.now() - 3 * day });
  const lookAlikeOf = earlier.reference;
  await product.store.claimBatch({ ...batch, batchId: 'b-2', rows: [{ ...alike, lookAlikeOf }], at: Date.now() });
}

const evidenceOf = async (handle: PayoutHandle): Promise<string[]> =>
  (await handle.query<PayoutStateView>('state')).evidence.map(({ what }) => what);

/** The list was read before the first send: what it shows from now on decides about that alone. */
export async function readAt({ store }: Product): Promise<void> {
  const now = Date.now();
  await store.recordListRead({ uid: 'u-1001', currency: 'USD', beganAt: now, reachesFrom: 0, resumption: now });
}

const POLL_MS = 50;

export async function cancel(handle: PayoutHandle, given: { by: string; reason: string }): Promise<void> {
  await handle.executeUpdate('cancel', { args: [given] });
}

/** Waits until the search attribute shows a state (a query in the middle of a task would cost events of its own). */
export async function until(handle: PayoutHandle, state: PayoutState): Promise<PayoutStateView> {
  const end = performance.now() + HANGS_MS;
  while (performance.now() < end) {
    const { searchAttributes } = await handle.describe();
    if (searchAttributes.PayoutState?.[0] === state) return handle.query<PayoutStateView>('state');
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  throw new Error(`not ${state} in ${HANGS_MS} ms but ${JSON.stringify(await handle.query('state'), null, 1)}`);
}

/** Waits until the payout itself gives this reason. */
export const untilReason = (handle: PayoutHandle, code: string): Promise<void> =>
  untilTrue(async () => (await handle.query<PayoutStateView>('state')).reason?.code === code);

export const PAYEE_URL = `/v1/banking/beneficiaries/${DEFAULT_PAYMENT.beneficiary_id}`;

/** Somebody changes the payee of the default payment at the bank. */
export async function changePayee(product: Product): Promise<void> {
  const { items } = (await product.bankCall('GET', PAYEE_URL)) as { items: Record<string, string> };
  await product.bankCall('PUT', PAYEE_URL, { uid: 'u-1001', ...items, account_no: '666666666' });
}

async function awaited(handle: PayoutHandle): Promise<{ digest: string }> {
  const { awaited: asked } = await handle.query<PayoutStateView>('state');
  if (asked === null) throw new Error('nothing is awaited');
  return asked;
}

/** Event id of the task that scheduled an activity: where a reset goes back to. */
export async function taskBefore(handle: PayoutHandle, activity: string): Promise<number> {
  const { events } = await handle.fetchHistory();
  const scheduled = events?.find(
    (event) => event.activityTaskScheduledEventAttributes?.activityType?.name === activity,
  );
  return Number(scheduled?.activityTaskScheduledEventAttributes?.workflowTaskCompletedEventId);
}
