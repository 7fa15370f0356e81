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

type Travel = PayoutRoute['travel'];
type Change = Omit<Parameters<Product['start']>[0], 'id'>;
type More = Parameters<Product['start']>[1];

const start =
  (change: Change = {}, more?: More): Travel =>
  (product) =>
    product.start({ id: 'r', ...change }, more);

type Next = (handle: PayoutHandle, product: Product, view: PayoutStateView) => Promise<unknown>;

/** Starts it, and goes on when its search attribute shows this state. */
const when =
  (state: PayoutState, next: Next, change: Change = {}, more?: More): Travel =>
  async (product) => {
    const handle = await product.start({ id: 'r', ...change }, more);
    await next(handle, product, await until(handle, state));
    return handle;
  };

/** Does something before it starts. */
const after =
  (before: (product: Product) => Promise<unknown>, travel: Travel): Travel =>
  async (product) => {
    await before(product);
    return travel(product);
  };

const approve = (handle: PayoutHandle): Promise<void> => handle.signal('approve', { by: 'alice' });
const check = (handle: PayoutHandle): Promise<void> => handle.signal('approve', { by: 'checker' });
const rejectFor =
  (remark: string, by = 'alice') =>
  (handle: PayoutHandle): Promise<void> =>
    handle.signal('reject', { by, remark });
const withdraw = (handle: PayoutHandle): Promise<void> => cancel(handle, { by: 'alice', reason: 'withdrawn' });
const approveByUpdate = async (handle: PayoutHandle, by: string): Promise<void> => {
  const { digest } = await awaited(handle);
  await handle.executeUpdate('decide', { args: [{ decisionId: 'd1', decision: 'approve', by, digest }] });
};
const switchOn: Next = (_handle, product) => product.store.switchOn(USD_SWITCH);

const faulty =
  (kind: string, more: Record<string, unknown> = {}) =>
  (product: Product): Promise<unknown> =>
    product.sandboxTest('POST', 'faults', { operation: 'transactions.payment', kind, ...more });

const IN_THE_AUDIT = { note: 'sandbox:audit' };
const BY_EXCHANGE = { account_id: 'acc-u1001-eur' };
const POOR = { uid: 'u-1001', currency: 'USD', account_id: 'acc-poor', balance: '1.00' };
const openPoor = (product: Product): Promise<unknown> => product.sandboxTest('POST', 'accounts', POOR);
const MAKER = { by: 'maker' };
const byOne = { approvalRules: [{ approvals: 1 }] };

/** Reads a decision's effect when a slow machine has finished it, too: what counts is the events of one read. */
const AFTER_THE_BANK = { waits: { pollMs: 2_000 } };

export const COMPLETED = { ends: { state: 'completed' }, orders: 1 } as const satisfies Partial<PayoutRoute>;
export const endedBy = (state: PayoutResult['state'], because: string, orders = 0) =>
  ({ ends: { state }, because, orders }) as const satisfies Partial<PayoutRoute>;

/** The run is notified of the end in an activity, and reads nothing. */
export const PLAIN = { name: 'plain', ...COMPLETED, eventsMax: 19, notices: 0 } as const;

const approvedInTheAudit = {
  terms: AFTER_THE_BANK,
  ...COMPLETED,
  eventsMax: 36,
  notices: 2,
  travel: when('awaiting-bank-approval', approve, IN_THE_AUDIT),
};

/** No read can prove anything: the list says that it has more than it shows. */
const unproven = {
  terms: { waits: { lateCommitMs: 300, listLagMs: 100 } },
  before: async (product: Product): Promise<void> => {
    await readAt(product);
    await product.sandboxTest('PUT', 'profile', { listTotal: 'one-more' });
    await faulty('drop-before')(product);
  },
};

export const PAYOUT_ROUTES: readonly PayoutRoute[] = [
  { ...PLAIN, travel: start() },
  // The wait for the end began before its audit, and is over after that.
  { name: 'told-of-its-end-after-its-audit', ...approvedInTheAudit },
  { name: 'new-beneficiary', ...COMPLETED, eventsMax: 28, travel: start(NEW_PAYEE) },
  { name: 'exchange', ...COMPLETED, eventsMax: 30, notices: 2, travel: start(BY_EXCHANGE) },
  {
    name: 'approval-before-submit',
    settings: byOne,
    ...COMPLETED,
    eventsMax: 28,
    travel: when('awaiting-approval', check, {}, MAKER),
  },
  {
    name: 'approval-by-two',
    settings: { approvalRules: [{ approvals: 2 }] },
    ...COMPLETED,
    travel: when(
      'awaiting-approval',
      async (handle) => {
        for (const by of ['maker', 'ann', 'ann']) await handle.signal('approve', { by });
        await approveByUpdate(handle, 'bob');
      },
      {},
      MAKER,
    ),
  },
  {
    name: 'approval-rejected',
    settings: byOne,
    ...endedBy('rejected', 'approval-rejected'),
    travel: when('awaiting-approval', rejectFor('wrong payee', 'checker'), {}, MAKER),
  },
  {
    name: 'approval-expired',
    settings: byOne,
    terms: { waits: { approvalTtlMs: 500 } },
    ...endedBy('rejected', 'approval-expired'),
    travel: start({}, MAKER),
  },
  { name: 'bank-approval', ...approvedInTheAudit },
  {
    name: 'bank-approval-by-update',
    ...COMPLETED,
    travel: when('awaiting-bank-approval', (handle) => approveByUpdate(handle, 'alice'), IN_THE_AUDIT),
  },
  {
    name: 'exchange-and-bank-approval',
    sandbox: { auditThreshold: { USD: '12.00' } },
    terms: AFTER_THE_BANK,
    ...COMPLETED,
    eventsMax: 48,
    notices: 3,
    travel: when('awaiting-bank-approval', approve, BY_EXCHANGE),
  },
  {
    name: 'payee-changed-in-the-audit',
    ...endedBy('rejected', 'approval-rejected', 1),
    travel: when(
      'awaiting-bank-approval',
      async (handle, product) => {
        await changePayee(product);
        await approve(handle);
        await untilReason(handle, 'beneficiary-changed');
        await rejectFor('the payee was changed')(handle);
      },
      IN_THE_AUDIT,
    ),
  },
  {
    name: 'exchange-booked-above-the-cap',
    sandbox: { profile: { fxDriftBasisPoints: 300 } },
    ...COMPLETED,
    travel: when('held', approve, BY_EXCHANGE),
  },
  {
    name: 'failed-after-its-exchange',
    ...endedBy('failed', 'bank-failed', 1),
    ends: {
      state: 'failed',
      reason: {
        code: 'bank-failed',
        message: 'the bank reports the order as failed; the exchange stays as booked',
      },
    },
    travel: start({ ...BY_EXCHANGE, note: 'sandbox:fail' }),
  },
  {
    name: 'bank-rejection',
    ...endedBy('rejected', 'approval-rejected', 1),
    travel: when('awaiting-bank-approval', rejectFor('not ours'), IN_THE_AUDIT),
  },
  {
    name: 'decided-at-the-bank',
    ...COMPLETED,
    travel: when(
      'awaiting-bank-approval',
      (_handle, product, { orderId }) =>
        product.sandboxTest('POST', `orders/${orderId}/status`, { status: 'APPROVED' }),
      IN_THE_AUDIT,
    ),
  },
  {
    name: 'cancelled-while-awaiting-approval',
    settings: byOne,
    ...endedBy('cancelled', 'cancelled-by-request'),
    travel: when('awaiting-approval', withdraw, {}, MAKER),
  },
  {
    name: 'cancelled-in-the-bank-audit',
    ...endedBy('cancelled', 'cancelled-by-request', 1),
    travel: when('awaiting-bank-approval', (handle) => handle.cancel(), IN_THE_AUDIT),
  },
  { name: 'failed-at-the-bank', ...endedBy('failed', 'bank-failed', 1), travel: start({ note: 'sandbox:fail' }) },
  { name: 'refused-as-invalid', ...endedBy('failed', 'invalid-instruction'), travel: start({ charge_type: 'OUR' }) },
  {
    name: 'scheduled',
    ...endedBy('cancelled', 'cancelled-by-request'),
    travel: when('scheduled', withdraw, { execute_on: '2999-01-01' }),
  },
  {
    name: 'short-of-money',
    ...COMPLETED,
    travel: after(
      openPoor,
      when(
        'awaiting-funds',
        (_handle, product) => product.sandboxTest('POST', 'accounts/acc-poor/deposit', { amount: '100.00' }),
        { account_id: 'acc-poor' },
      ),
    ),
  },
  {
    name: 'funds-patience-over',
    terms: { waits: { fundsPatienceMs: 600 } },
    ...endedBy('failed', 'funds-patience-over'),
    travel: after(openPoor, start({ account_id: 'acc-poor' })),
  },
  { name: 'held-over-fee', ...COMPLETED, travel: when('held', approve, { fee_cap: '0.01' }) },
  {
    name: 'account-frozen',
    ...COMPLETED,
    travel: after(
      (product) => product.sandboxTest('POST', 'accounts/acc-u1001-gbp/freeze'),
      when('held', (_handle, product) => product.sandboxTest('POST', 'accounts/acc-u1001-gbp/unfreeze'), {
        account_id: 'acc-u1001-gbp',
        currency: 'GBP',
        beneficiary_id: 'ben-u1001-gbp-local',
      }),
    ),
  },
  { name: 'answer-lost-after-commit', ...COMPLETED, travel: after(faulty('drop-after'), start()) },
  {
    name: 'sender-without-an-answer',
    ...COMPLETED,
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
    travel: start(),
  },
  {
    name: 'sender-heard-late',
    ...COMPLETED,
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
    travel: start(),
  },
  { name: 'answer-lost-without-commit', ...COMPLETED, travel: after(faulty('drop-before'), start()) },
  {
    // The bank says "balance not enough" and commits: a lie that no client can see through on a clean first attempt, so
    // the payout waits for funds and its next attempt meets its own order (2003).
    name: 'said-short-of-money-but-committed',
    ...COMPLETED,
    travel: after(faulty('code', { code: 2010, commit: true }), start()),
  },
  {
    name: 'proven-absent-and-never-resent',
    terms: { referenceDedupe: 'none' },
    ...endedBy('failed', 'closed-by-operator'),
    travel: after(
      faulty('drop-before'),
      when('needs-operator', (handle) => closeAsNotPaid(handle, 'alice', 'statement of today')),
    ),
  },
  {
    name: 'proven-absent-after-the-looks-were-over',
    terms: unproven.terms,
    ...COMPLETED,
    travel: after(
      unproven.before,
      when('needs-operator', (_handle, product) => product.sandboxTest('PUT', 'profile', { listTotal: 'exact' })),
    ),
  },
  {
    name: 'closed-by-two-people-though-no-look-proves-anything',
    terms: unproven.terms,
    ...endedBy('failed', 'closed-by-operator'),
    ends: {
      state: 'failed',
      reason: { code: 'closed-by-operator', message: 'an operator closed it as not paid (by alice and bob)' },
    },
    travel: after(
      unproven.before,
      when('needs-operator', async (handle) => {
        const answers: { accepted: boolean }[] = [];
        for (const by of ['alice', 'Alice ', 'bob']) {
          answers.push(await closeAsNotPaid(handle, by, `statement read by ${by}`));
        }
        if (answers.map(({ accepted }) => accepted).join() !== 'false,false,true') {
          throw new Error(`one person closed it, or two could not: ${JSON.stringify(answers)}`);
        }
      }),
    ),
  },
  {
    name: 'status-unclear',
    ...COMPLETED,
    travel: when(
      'needs-operator',
      (_handle, product, { orderId }) =>
        product.sandboxTest('POST', `orders/${orderId}/status`, { status: 'COMPLETED', stay: true }),
      { note: 'sandbox:close' },
    ),
  },
  {
    name: 'beneficiary-answer-lost',
    ...COMPLETED,
    travel: after(faulty('drop-after', { operation: 'beneficiaries.add' }), start(NEW_PAYEE)),
  },
  {
    name: 'switched-off',
    ...COMPLETED,
    travel: after(
      (product) => product.store.switchOff(USD_SWITCH),
      when('held', async (handle, product) => {
        // Nobody can approve a switch into sending: it is only checked again.
        await approve(handle);
        await untilTrue(async () => (await evidenceOf(handle)).some((what) => what.startsWith('approve by')));
        await until(handle, 'held');
        await product.store.switchOn(USD_SWITCH);
      }),
    ),
  },
  {
    name: 'switched-off-before-the-send',
    store: (store) => switchedOffOnce(store, 'openOrder'),
    ...COMPLETED,
    travel: when('held', switchOn),
  },
  {
    name: 'exchange-switched-off-before-the-send',
    store: (store) => switchedOffOnce(store, 'openOrder'),
    ...COMPLETED,
    travel: when('held', switchOn, BY_EXCHANGE),
  },
  {
    name: 'switched-off-in-the-bank-audit',
    ...COMPLETED,
    travel: when(
      'awaiting-bank-approval',
      async (handle, product) => {
        await product.store.switchOff(USD_SWITCH);
        await approve(handle);
        await untilReason(handle, 'switched-off');
        await product.store.switchOn(USD_SWITCH);
        await approve(handle);
      },
      IN_THE_AUDIT,
    ),
  },
  {
    // Dedupe `verified` would send again at once: the switch keeps it from that, and the searches go on.
    name: 'answer-lost-and-switched-off',
    terms: { referenceDedupe: 'verified' },
    store: (store) => switchedOffOnce(store, 'finishAttempt'),
    ...COMPLETED,
    travel: after(faulty('drop-before'), when('held', switchOn)),
  },
  {
    // More often than an answer may be lost: what the bank has refused has repeated nothing, and after the proof it is a refusal.
    name: 'answer-lost-and-refused-ever-after',
    terms: { referenceDedupe: 'verified' },
    ...COMPLETED,
    travel: after(faulty('drop-before'), after(faulty('code', { code: 2007, commit: false, times: 7 }), start())),
  },
  { name: 'look-alike', ...COMPLETED, travel: after(claimLookAlike, when('held', approve)) },
  { name: 'payee-checked', checks: true, ...COMPLETED, eventsMax: 28, travel: start(NEW_PAYEE) },
  {
    name: 'close-match-let-through',
    checks: true,
    ...COMPLETED,
    travel: decidedOver('payee-close-match', 'Eve Close', approve),
  },
  {
    name: 'screening-hit-rejected',
    checks: true,
    ...endedBy('rejected', 'approval-rejected'),
    travel: decidedOver('screening-hit', 'Eve Sanctioned', rejectFor('on the list')),
  },
  { name: 'begun-on-its-day', ...COMPLETED, eventsMax: 21, travel: start({}, { delayMs: 1_000 }) },
  {
    name: 'cancelled-before-its-day',
    ...endedBy('cancelled', 'cancelled-by-request'),
    travel: async (product) => {
      const handle = await start({ execute_on: '2999-01-01' }, { delayMs: 3_600_000 })(product);
      await withdraw(handle);
      return handle;
    },
  },
  {
    name: 'exchange-answer-lost',
    ...COMPLETED,
    travel: after(faulty('drop-after', { operation: 'transactions.fx' }), start(BY_EXCHANGE)),
  },
];

function closeAsNotPaid(handle: PayoutHandle, by: string, evidence: string): Promise<{ accepted: boolean }> {
  const args: [object] = [{ action: 'close-as-not-paid', by, evidence }];
  return handle.executeUpdate<{ accepted: boolean }, [object]>('resolve', { args });
}

/** Somebody decides what the check found out about a payee of this name. */
function decidedOver(code: string, accountName: string, decide: (handle: PayoutHandle) => Promise<void>): Travel {
  return async (product) => {
    const handle = await start({ ...NEW_PAYEE, account_name: accountName })(product);
    await untilReason(handle, code);
    await decide(handle);
    return handle;
  };
}

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
