import type { Bank, OrderScan } from '../../src/api/bank.ts';
import type { Order } from '../../src/api/schemas/orders.ts';
import type { PayoutKind } from '../../src/domain/names.ts';
import {
  AFTER_THE_BANK,
  cancel,
  PAID_AT_ONCE,
  type PayoutHandle,
  type PayoutRoute,
  switchedOffOnce,
  TOLD_OF_ITS_END,
  USD_SWITCH,
  until,
} from './payout-routes.ts';
import type { Product } from './product.ts';

/** One way through the life of a transfer or of an exchange by itself. */
export interface OwnMoveRoute extends Omit<PayoutRoute, 'travel'> {
  kind: Exclude<PayoutKind, 'payout'>;
  /** How the bank shows itself to the product. */
  bank?: (bank: Bank) => Bank;
  travel(product: Product, start: Start): Promise<PayoutHandle>;
}

type Start = (
  change?: Parameters<Product['start']>[0] | Record<string, string | undefined>,
  by?: string,
) => Promise<PayoutHandle>;

/** Starts the document `r` of a kind as the command does. */
export const starting =
  (product: Product, kind: OwnMoveRoute['kind']): Start =>
  (change = {}, by) =>
    product.start({ id: 'r', ...change }, { kind, ...(by === undefined ? {} : { by }) });

const approvedByOne = { approvalRules: [{ approvals: 1 }] };

/** What is the same for both: one order, and the gates, people and proofs around it. */
const BOTH: readonly Omit<OwnMoveRoute, 'kind'>[] = [
  { name: 'plain', travel: (_p, start) => start(), ends: { state: 'completed' }, eventsMax: 20, orders: 1 },
  { ...PAID_AT_ONCE, travel: (_p, start) => start() },
  {
    name: 'approval-before-submit',
    settings: approvedByOne,
    travel: async (_p, start) => {
      const handle = await start({}, 'maker');
      await until(handle, 'awaiting-approval');
      await handle.signal('approve', { by: 'maker' });
      await handle.signal('approve', { by: 'checker' });
      return handle;
    },
    ends: { state: 'completed' },
    orders: 1,
  },
  {
    name: 'approval-rejected',
    settings: approvedByOne,
    travel: async (_p, start) => {
      const handle = await start({}, 'maker');
      await until(handle, 'awaiting-approval');
      await handle.signal('reject', { by: 'checker', remark: 'not now' });
      return handle;
    },
    ends: { state: 'rejected' },
    because: 'approval-rejected',
    orders: 0,
  },
  {
    name: 'cancelled-before-submit',
    travel: async (_p, start) => {
      const handle = await start({ execute_on: '2999-01-01' });
      await until(handle, 'scheduled');
      await cancel(handle, { by: 'alice', reason: 'withdrawn' });
      return handle;
    },
    ends: { state: 'cancelled' },
    because: 'cancelled-by-request',
    orders: 0,
  },
  {
    name: 'bank-approval',
    terms: AFTER_THE_BANK,
    travel: async (_p, start) => {
      const handle = await start({ note: 'sandbox:audit' });
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
    name: 'bank-rejection',
    travel: async (_p, start) => {
      const handle = await start({ note: 'sandbox:audit' });
      await until(handle, 'awaiting-bank-approval');
      await handle.signal('reject', { by: 'alice', remark: 'not ours' });
      return handle;
    },
    ends: { state: 'rejected' },
    because: 'approval-rejected',
    orders: 1,
  },
  {
    name: 'cancelled-in-the-bank-audit',
    travel: async (_p, start) => {
      const handle = await start({ note: 'sandbox:audit' });
      await until(handle, 'awaiting-bank-approval');
      await cancel(handle, { by: 'alice', reason: 'withdrawn' });
      return handle;
    },
    ends: { state: 'cancelled' },
    because: 'cancelled-by-request',
    orders: 1,
  },
  {
    name: 'failed-at-the-bank',
    travel: (_p, start) => start({ note: 'sandbox:fail' }),
    ends: { state: 'failed' },
    because: 'bank-failed',
    orders: 1,
  },
  {
    name: 'destination-not-own',
    travel: (_p, start) => start({ to_account_id: 'acc-u1002-usd' }),
    ends: { state: 'failed' },
    because: 'account-not-own',
    orders: 0,
  },
  {
    name: 'other-currency',
    travel: (_p, start) => start({ to_account_id: 'acc-u1001-gbp' }),
    ends: { state: 'failed' },
    because: 'account-currency',
    orders: 0,
  },
  {
    name: 'destination-not-known',
    travel: async (_p, start) => {
      const handle = await start({ to_account_id: 'acc-nobody' });
      await until(handle, 'held');
      await handle.signal('reject', { by: 'alice', remark: 'no such account' });
      return handle;
    },
    ends: { state: 'rejected' },
    because: 'approval-rejected',
    orders: 0,
  },
  {
    name: 'payee-named',
    travel: (_p, start) => start({ beneficiary_id: 'ben-u1001-usd-local' }),
    ends: { state: 'failed' },
    because: 'invalid-instruction',
    orders: 0,
  },
  {
    name: 'switched-off-before-the-send',
    store: (store) => switchedOffOnce(store, 'openOrder'),
    travel: async (p, start) => {
      const handle = await start();
      await until(handle, 'held');
      await p.store.switchOn(USD_SWITCH);
      return handle;
    },
    ends: { state: 'completed' },
    orders: 1,
  },
  {
    name: 'run-after-a-terminated-one',
    travel: async (p, start) => {
      const first = await start({ note: 'sandbox:audit' });
      await until(first, 'awaiting-bank-approval');
      await first.terminate('test');
      const handle = await start({ note: 'sandbox:audit' });
      await until(handle, 'awaiting-bank-approval');
      await handle.signal('approve', { by: 'alice' });
      return p.client.workflow.getHandle(handle.workflowId);
    },
    ends: { state: 'completed' },
    orders: 1,
  },
];

/** With an operation of the bank that goes wrong. */
const lostAnswers = (operation: string): readonly Omit<OwnMoveRoute, 'kind'>[] => [
  {
    name: 'answer-lost-after-commit',
    travel: async (p, start) => {
      await p.sandboxTest('POST', 'faults', { operation, kind: 'drop-after' });
      return start();
    },
    ends: { state: 'completed' },
    orders: 1,
  },
  {
    name: 'answer-lost-without-commit',
    travel: async (p, start) => {
      await p.sandboxTest('POST', 'faults', { operation, kind: 'drop-before' });
      return start();
    },
    ends: { state: 'completed' },
    orders: 1,
  },
  {
    name: 'closed-as-not-paid',
    terms: { referenceDedupe: 'none' },
    travel: async (p, start) => {
      await p.sandboxTest('POST', 'faults', { operation, kind: 'drop-before' });
      const handle = await start();
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
];

const openPoorAccount = (p: Product, currency: string): Promise<unknown> =>
  p.sandboxTest('POST', 'accounts', { uid: 'u-1001', currency, account_id: 'acc-poor', balance: '1.00' });

const shortOfMoney = (currency: string): readonly Omit<OwnMoveRoute, 'kind'>[] => [
  {
    name: 'short-of-money',
    travel: async (p, start) => {
      await openPoorAccount(p, currency);
      const handle = await start({ account_id: 'acc-poor' });
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
    travel: async (p, start) => {
      await openPoorAccount(p, currency);
      return start({ account_id: 'acc-poor' });
    },
    ends: { state: 'failed' },
    because: 'funds-patience-over',
    orders: 0,
  },
];

/** The record of a transfer at the account it arrives in. */
const arrivalOf = (order: Order): Order => ({ ...order, order_id: `${order.order_id}-in`, direct: 'IN' });

/** A bank that lists both sides of a transfer; the one that leaves is missing in the first lists that show it. */
function withArrivals(bank: Bank, { hidden = 0 } = {}): Bank {
  let hides = hidden;
  const shown = ({ orders, ...scan }: OrderScan): OrderScan => {
    const transfers = orders.filter(({ type }) => type === 'TRANSFER');
    const isHiding = transfers.length > 0 && hides > 0;
    if (isHiding) hides -= 1;
    const others = isHiding ? orders.filter((order) => !transfers.includes(order)) : orders;
    return { ...scan, orders: [...transfers.map(arrivalOf), ...others] };
  };
  const listAll: Bank['orders']['listAll'] = async (...asked) => shown(await bank.orders.listAll(...asked));
  const listSettled: Bank['orders']['listSettled'] = async (...asked) => shown(await bank.orders.listSettled(...asked));
  const get: Bank['orders']['get'] = async (orderId, ...more) =>
    orderId.endsWith('-in')
      ? arrivalOf(await bank.orders.get(orderId.slice(0, -3), ...more))
      : bank.orders.get(orderId, ...more);
  return { ...bank, orders: { ...bank.orders, listAll, listSettled, get } };
}

const TRANSFERS: readonly Omit<OwnMoveRoute, 'kind'>[] = [
  ...BOTH,
  { ...TOLD_OF_ITS_END, travel: (_p, start) => start() },
  ...lostAnswers('transactions.transfer'),
  ...shortOfMoney('USD'),
  {
    name: 'both-sides-listed',
    bank: withArrivals,
    travel: async (_p, start) => {
      const handle = await start({ note: 'sandbox:audit' });
      await until(handle, 'awaiting-bank-approval');
      await handle.signal('approve', { by: 'alice' });
      return handle;
    },
    ends: { state: 'completed' },
    orders: 1,
  },
  {
    name: 'arrival-listed-first-after-a-lost-answer',
    bank: (bank) => withArrivals(bank, { hidden: 4 }),
    travel: async (p, start) => {
      await p.sandboxTest('POST', 'faults', { operation: 'transactions.transfer', kind: 'drop-after' });
      return start();
    },
    ends: { state: 'completed' },
    orders: 1,
  },
  {
    name: 'across-users',
    settings: { transferAcrossUsers: true },
    travel: (_p, start) => start({ to_account_id: 'acc-u1002-usd' }),
    ends: { state: 'completed' },
    orders: 1,
  },
  {
    name: 'held-over-fee',
    sandbox: { profile: { transferFeeMinor: 100 } },
    travel: async (_p, start) => {
      const handle = await start({ fee_cap: '0.01' });
      await until(handle, 'held');
      await handle.signal('approve', { by: 'alice' });
      return handle;
    },
    ends: { state: 'completed', fee: '1.00', feeCurrency: 'USD' },
    orders: 1,
  },
];

const EXCHANGES: readonly Omit<OwnMoveRoute, 'kind'>[] = [
  ...BOTH,
  ...lostAnswers('transactions.fx'),
  ...shortOfMoney('EUR'),
  {
    name: 'quoted-above-the-cap',
    settings: approvedByOne,
    travel: async (p, start) => {
      const handle = await start({}, 'maker');
      await until(handle, 'awaiting-approval');
      await p.sandboxTest('PUT', 'profile', { quoteDriftBasisPoints: 300 });
      await handle.signal('approve', { by: 'checker' });
      await until(handle, 'held');
      await handle.signal('approve', { by: 'alice' });
      return handle;
    },
    ends: { state: 'completed' },
    orders: 1,
  },
  {
    name: 'booked-above-the-cap',
    sandbox: { profile: { fxDriftBasisPoints: 300 } },
    travel: (_p, start) => start(),
    ends: { state: 'completed' },
    because: 'slippage-above-cap',
    orders: 1,
  },
];

export const OWN_MOVE_ROUTES: readonly OwnMoveRoute[] = [
  ...TRANSFERS.map((route) => ({ ...route, kind: 'transfer' as const })),
  ...EXCHANGES.map((route) => ({ ...route, kind: 'exchange' as const })),
];
