import type { ActivityDeps } from '../../src/activities/deps.ts';
import type { Bank } from '../../src/bank/bank.ts';
import type { ApprovalRule, ReferenceDedupe } from '../../src/domain/policy.ts';
import { UNMEASURED_CLOCK } from './unmeasured-clock.ts';

/** What of the settings a sender goes by. */
interface SenderSettings {
  policy: ActivityDeps['settings']['policy'];
  referenceDedupe: ReferenceDedupe;
  transferAcrossUsers?: boolean;
  approvalRules?: readonly ApprovalRule[];
  feeCap?: string;
}

/** The store, with every list of the bank just read. */
export const readAt = (store: ActivityDeps['store'], now = Date.now): ActivityDeps['store'] => ({
  ...store,
  listReadsOf: async (keys) => {
    const beganAt = now();
    return keys.map((key) => ({ ...key, beganAt, reachesFrom: 0, resumption: beganAt }));
  },
});

/** What the bank shows before an order is sent: every account and payee of `user-1`, in USD, but `acc-eur` in EUR. */
export interface ShownBefore {
  fee: string;
  payeeName: string;
}

const accountOf = (id: string) => ({
  ...{ account_id: id, uid: 'user-1', balance: '1000000.00' },
  currency: id === 'acc-eur' ? 'EUR' : 'USD',
});

const shownBefore = (shown: ShownBefore): object => ({
  accounts: {
    get: async (id: string) => accountOf(id),
    ofUser: async () => ['acc-1', 'acc-eur'].map(accountOf),
  },
  beneficiaries: {
    get: async (id: string) => ({
      ...{ id, uid: 'user-1', currency: 'USD', beneficiary_type: 'personal', payment_type: 'local', created_at: 1 },
      items: { account_name: shown.payeeName, account_no: '1' },
    }),
  },
});

/** What an order is sent with, at a bank of which only these transactions are asked; what is given replaces the rest. */
export const sendingDeps = (
  transactions: object,
  { policy, referenceDedupe, transferAcrossUsers = false, approvalRules = [], feeCap }: SenderSettings,
  given: Pick<ActivityDeps, 'store'> & Partial<Omit<ActivityDeps, 'settings'>>,
  shown: ShownBefore = { fee: '0.10', payeeName: 'Ann Example' },
): ActivityDeps => ({
  bank: {
    ...shownBefore(shown),
    clock: UNMEASURED_CLOCK,
    transactions: {
      paymentFee: async () => ({ fee: shown.fee, fee_currency: 'USD' }),
      // A euro buys two dollars.
      fxQuote: async ({ amount }: { amount: string }) => ({
        ...{ sell_amount: `${Number(amount) / 2}`, buy_amount: amount, rate: '2', fee: '0', fee_currency: 'EUR' },
      }),
      ...transactions,
    },
  } as unknown as Bank,
  now: Date.now,
  assertIdentity: async () => {},
  readList: async () => {
    throw new Error('no list is read here');
  },
  executions: { wakeWatch: async () => {} } as unknown as ActivityDeps['executions'],
  checkInstruction: () => [],
  ...given,
  store: readAt(given.store, given.now),
  settings: {
    ...{ clockSkewMs: 0, policy, transferAcrossUsers, approvalRules },
    ...{ listPollMaxMs: 500, listWindowMs: 86_400_000 },
    terms: { auditTtlMs: 60_000, referenceDedupe, waits: { listLagMs: 0 }, feeCap, maxSlippage: '0.01' },
  } as ActivityDeps['settings'],
});
