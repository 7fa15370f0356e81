import type { Bank, OrderScan } from '../../src/bank/bank.ts';
import type { Order } from '../../src/bank/schemas/orders.ts';
import type { PayoutKind } from '../../src/domain/names.ts';
import { COMPLETED, endedBy, type PayoutHandle, type PayoutRoute, PLAIN, until } from './payout-routes.ts';
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
  const listStable: Bank['orders']['listStable'] = async (...asked) => shown(await bank.orders.listStable(...asked));
  const get: Bank['orders']['get'] = async (orderId, ...more) =>
    orderId.endsWith('-in')
      ? arrivalOf(await bank.orders.get(orderId.slice(0, -3), ...more))
      : bank.orders.get(orderId, ...more);
  return { ...bank, orders: { ...bank.orders, listAll, listStable, get } };
}

/**
 * What only a transfer or an exchange by itself meets. Gates, people and proofs around its one order are those of a payout:
 * `PAYOUT_ROUTES`.
 */
const TRANSFERS: readonly Omit<OwnMoveRoute, 'kind'>[] = [
  { ...PLAIN, travel: (_p, start) => start() },
  {
    name: 'destination-not-own',
    travel: (_p, start) => start({ to_account_id: 'acc-u1002-usd' }),
    ...endedBy('failed', 'account-not-own'),
  },
  {
    name: 'other-currency',
    travel: (_p, start) => start({ to_account_id: 'acc-u1001-gbp' }),
    ...endedBy('failed', 'account-currency'),
  },
  {
    name: 'destination-not-known',
    travel: async (_p, start) => {
      const handle = await start({ to_account_id: 'acc-nobody' });
      await until(handle, 'held');
      await handle.signal('reject', { by: 'alice', remark: 'no such account' });
      return handle;
    },
    ...endedBy('rejected', 'approval-rejected'),
  },
  {
    name: 'both-sides-listed',
    bank: withArrivals,
    travel: async (_p, start) => {
      const handle = await start({ note: 'sandbox:audit' });
      await until(handle, 'awaiting-bank-approval');
      await handle.signal('approve', { by: 'alice' });
      return handle;
    },
    ...COMPLETED,
  },
  {
    name: 'arrival-listed-first-after-a-lost-answer',
    bank: (bank) => withArrivals(bank, { hidden: 4 }),
    travel: async (p, start) => {
      await p.sandboxTest('POST', 'faults', { operation: 'transactions.transfer', kind: 'drop-after' });
      return start();
    },
    ...COMPLETED,
  },
  {
    name: 'across-users',
    settings: { transferAcrossUsers: true },
    travel: (_p, start) => start({ to_account_id: 'acc-u1002-usd' }),
    ...COMPLETED,
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
  { ...PLAIN, travel: (_p, start) => start() },
  {
    name: 'short-of-money',
    travel: async (p, start) => {
      const poor = { uid: 'u-1001', currency: 'EUR', account_id: 'acc-poor', balance: '1.00' };
      await p.sandboxTest('POST', 'accounts', poor);
      const handle = await start({ account_id: 'acc-poor' });
      await until(handle, 'awaiting-funds');
      await p.sandboxTest('POST', 'accounts/acc-poor/deposit', { amount: '100.00' });
      return handle;
    },
    ...COMPLETED,
  },
  {
    name: 'quoted-above-the-cap',
    settings: { approvalRules: [{ approvals: 1 }] },
    travel: async (p, start) => {
      const handle = await start({}, 'maker');
      await until(handle, 'awaiting-approval');
      await p.sandboxTest('PUT', 'profile', { quoteDriftBasisPoints: 300 });
      await handle.signal('approve', { by: 'checker' });
      await until(handle, 'held');
      await handle.signal('approve', { by: 'alice' });
      return handle;
    },
    ...COMPLETED,
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
