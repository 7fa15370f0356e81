import { hash } from 'node:crypto';
import type { Bank } from '../../bank/bank.ts';
import type { Order } from '../../bank/schemas/orders.ts';
import { formatMinor, parseDecimal } from '../../domain/money.ts';
import { isArrival, isReturn } from '../../domain/order-judgement.ts';
import { type ClosedMeaning, isNoMoney, stageMeaning } from '../../domain/order-status.ts';
import { Problem } from '../../domain/problem.ts';
import { ordersStatementId } from '../../domain/statements/lines.ts';
import { type Direction, type StatementEntry, signed } from '../../domain/statements/statement.ts';
import { dayIn } from '../../domain/time.ts';
import { minorOf } from '../../files/statements/statement-sink.ts';
import type { Config } from '../../platform/config.ts';
import type { StatementRecord, Store } from '../../store/store.ts';
import { type ReconciliationSums, reconcileUser } from './reconcile-user.ts';

/** The order list of an account, taken as its statement. */
export interface OrdersStatement extends ReconciliationSums {
  accountId: string;
  currency: string;
  orders: number;
  opening: string;
  closing: string;
  /** What the balance holds beyond the orders that came since the list was first taken, decimal string; null: nothing. */
  difference: string | null;
}

interface OrdersDeps {
  store: Store;
  settings: Config['settings'];
  now(): number;
}

/**
 * For a bank that sends no statements, and for the sandbox: what its interface lists for each account of a user, and the balance
 * that it shows, compared like a statement. An account whose statements the bank sends is left out: they say more. Throws a
 * `Problem` if the list cannot be read as a proof.
 */
export async function takeOrders(deps: OrdersDeps, bank: Bank, uid: string): Promise<OrdersStatement[]> {
  const taken: (Omit<OrdersStatement, keyof ReconciliationSums> & { changedFrom: string | undefined })[] = [];
  const { store } = deps;
  for (const { account_id: accountId, currency } of await bank.accounts.ofUser(uid)) {
    const statements = await store.statementsTaken({ accountId, limit: 1 });
    if (statements.some(({ kind }) => kind !== 'orders')) continue;
    taken.push(await takeAccount(deps, bank, { uid, accountId, currency }));
  }
  const [changedFrom] = taken.flatMap((it) => it.changedFrom ?? []).sort();
  const sums = await reconcileUser(deps, uid, changedFrom);
  return taken.map(({ changedFrom: _, ...it }) => ({ ...it, ...sums }));
}

async function takeAccount(
  { store, settings, now }: OrdersDeps,
  bank: Bank,
  { uid, accountId, currency }: { uid: string; accountId: string; currency: string },
): Promise<Omit<OrdersStatement, keyof ReconciliationSums> & { changedFrom: string | undefined }> {
  const { orders, doubt } = await bank.orders.listAll({ uid, currency }, { pageSize: settings.pageSize });
  if (doubt !== undefined) {
    throw new Problem('refused', 'list-in-doubt', `The order list of the bank shows ${doubt}, so it proves nothing.`, {
      hint: 'Ask the bank why, and try again.',
    });
  }
  const undone = await completedOf(
    store,
    orders.filter((it) => isUndone(it, settings.terms.closedMeans)),
  );
  const { timeZone, terms } = settings;
  const statementId = ordersStatementId(accountId);
  const listed = await daysListed(store, statementId);
  const dated = orders.flatMap((order) => {
    const at = order.updated_at ?? order.created_at ?? 0;
    const entries = entriesOf(order, { accountId, currency }, terms.closedMeans, undone);
    // What was listed once stays on its day, whatever happens to the order.
    return entries.map((it) => ({ at, entry: { ...it, bookedOn: listed.get(it.entryId) ?? dayIn(at, timeZone) } }));
  });
  const entries = dated.map(({ entry }) => entry);
  const { balance, frozen } = await bank.accounts.get(accountId);
  const closing = (minorOf(balance, currency) ?? 0n) + (minorOf(frozen ?? '0', currency) ?? 0n);
  const sum = entries.reduce((total, entry) => total + signed(entry), 0n);
  const before = await store.statement(statementId);
  const opening = before?.opening == null ? closing - sum : (minorOf(before.opening, currency) ?? 0n);
  const at = now();
  const today = dayIn(at, timeZone);
  // The list is whole: it says of every day since the first payout what was booked, also if that is nothing.
  const first = (await store.firstClaims()).find((it) => it.uid === uid);
  const days = [...entries.map(({ bookedOn }) => bookedOn), dayIn(first?.createdAt ?? at, timeZone)].sort();
  const record: StatementRecord & { takenAt: number } = {
    ...{ statementId, accountId, uid, currency, kind: 'orders', format: 'orders', number: 'orders' },
    ...{ fromDay: days[0] ?? today, toDay: today, entries: entries.length, file: '' },
    ...{ opening: formatMinor(opening, currency), closing: formatMinor(closing, currency) },
    digest: hash('sha256', JSON.stringify(entries.map((it) => [it.entryId, `${it.minor}`]))),
    ...{ takenBy: null, takenAt: at },
  };
  await store.replaceOrders(record, entries);
  const difference = closing - opening - sum;
  const late = dated.filter(({ entry }) => !listed.has(entry.entryId));
  await store.noteBalance(
    { accountId, onDay: today, at, unexplained: difference },
    late.map((it) => ({ at: it.at, minor: signed(it.entry) })),
  );
  return {
    ...{ accountId, currency, orders: orders.length },
    ...{ opening: record.opening ?? '', closing: record.closing ?? '' },
    difference: difference === 0n ? null : formatMinor(difference, currency),
    changedFrom: late.map(({ entry }) => entry.bookedOn).sort()[0],
  };
}

/** Days of the bookings that the list showed before, by entry id. */
async function daysListed(store: Store, statementId: string): Promise<ReadonlyMap<string, string>> {
  const days = new Map<string, string>();
  for await (const page of store.ledgerEntries({ statementId, kind: 'orders' }, '')) {
    for (const { entryId, bookedOn } of page) days.set(entryId, bookedOn);
  }
  return days;
}

const isUndone = ({ stage }: Order, closedMeans: ClosedMeaning): boolean => isNoMoney(stageMeaning(stage, closedMeans));

/** Ids of those orders whose payouts are completed: the bank has undone what it had paid. */
async function completedOf(store: Store, orders: readonly Order[]): Promise<ReadonlySet<string>> {
  const payouts = await store.payoutsOfOrders(orders.map(({ order_id: id }) => id));
  return new Set(payouts.flatMap(({ state, orderId }) => (state === 'completed' ? (orderId ?? []) : [])));
}

type OrderEntry = StatementEntry & { entryId: string };

/** What an order has moved on this account: nothing, one amount, or also its fee. */
function entriesOf(
  order: Order,
  account: { accountId: string; currency: string },
  closedMeans: ClosedMeaning,
  undone: ReadonlySet<string>,
): OrderEntry[] {
  const isBack = undone.has(order.order_id);
  if (!isBack && stageMeaning(order.stage, closedMeans) !== 'paid') return [];
  const sides = sidesOf(order, account);
  const back = isBack
    ? sides.map((side): Side => ({ ...side, name: `${side.name}-undone`, direction: 'credit', isReversal: true }))
    : [];
  return [...sides, ...back].flatMap((side) => entryOf(order, account, side));
}

interface Side {
  name: string;
  direction: Direction;
  amount: string | undefined;
  code: string;
  isReversal?: boolean;
}

function sidesOf(order: Order, { accountId, currency }: { accountId: string; currency: string }): Side[] {
  const { type, fee, fee_currency: feeCurrency } = order;
  const charge: Side[] =
    feeCurrency === currency && (parseDecimal(fee ?? '0')?.digits ?? 0n) !== 0n
      ? [{ name: 'fee', direction: 'debit', amount: fee, code: 'CHRG' }]
      : [];
  if (type === 'FX') {
    const sold: Side = { name: 'sold', direction: 'debit', amount: order.sell_amount, code: 'FORX' };
    if (order.sell_account === accountId) return [sold, ...charge];
    const bought: Side = { name: 'bought', direction: 'credit', amount: order.buy_amount, code: 'FORX' };
    return order.buy_account === accountId ? [bought] : [];
  }
  if (order.transaction_account !== accountId) return [];
  const amount = order.transaction_amount;
  if (isReturn(order)) return [{ name: 'in', direction: 'credit', amount, code: type === 'REFUND' ? 'RRTN' : 'RCDT' }];
  if (isArrival(order)) return [{ name: 'in', direction: 'credit', amount, code: 'ICDT' }];
  return [{ name: 'out', direction: 'debit', amount, code: 'ICDT' }, ...charge];
}

function entryOf(
  order: Order,
  { accountId, currency }: { accountId: string; currency: string },
  { name, direction, amount, code, isReversal = false }: Side,
): OrderEntry[] {
  const shown = minorOf(amount ?? '', currency);
  if (shown === undefined || shown === 0n) return [];
  return [
    {
      entryId: `ord-${hash('sha256', JSON.stringify([accountId, order.order_id, name])).slice(0, 16)}`,
      ...{ position: 0, minor: shown < 0n ? -shown : shown, currency, direction, isReversal, isPending: false },
      ...{ bookedOn: '', valueOn: undefined, code, bankReference: order.order_id },
      references: order.client_order_id === undefined ? [] : [order.client_order_id],
      ...{ text: '', batch: undefined, returnReason: undefined, counterparty: undefined, chargesMinor: 0n },
      ...{ details: 0, line: 0 },
    },
  ];
}
