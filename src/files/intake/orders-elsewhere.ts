import { iso } from '../../domain/display.ts';
import { parseAmount, type Total, totalsOf } from '../../domain/money.ts';
import { isReturn, type OrderFacts } from '../../domain/order-judgement.ts';
import { isNoMoney, stageMeaning } from '../../domain/order-status.ts';
import { alikeOrder } from '../../domain/payee.ts';
import type { WatchKey } from '../../store/store.ts';
import { itemsInTurns } from '../input.ts';
import type { BankLists } from './at-bank.ts';
import type { StagedFile } from './staged-file.ts';

/**
 * Recent payments from the paying accounts of a file that this store has not sent, made before it was in use or while it was not:
 * another system, or another store, has sent them. None is under a reference of a row of the file.
 */
export interface OrdersElsewhere {
  count: number;
  /** Sorted by currency. */
  totals: Total[];
  /** When the first and the last were made, ISO 8601; null: the bank shows it of none. */
  from: string | null;
  to: string | null;
  /** Rows that one of them may have paid already: they are held, unless that was declined. */
  alike: number;
  isHeld: boolean;
  /** The first ones, those that may have paid a row before the others. */
  listed: ListedOrder[];
  /** Fewer payments than rows of an account and amount: which rows they may have paid is not known, and none is held. */
  maybe: MaybePaid[];
}

interface MaybePaid {
  accountId: string;
  amount: string;
  currency: string;
  payments: number;
  rows: number;
  /** The first documents of those rows. */
  ids: string[];
}

interface ListedOrder {
  orderId: string;
  accountId: string;
  amount: string;
  currency: string;
  createdAt: string | null;
  /** Row and document of the same account and amount. */
  row: number | null;
  id: string | null;
}

const LISTED_MAX = 20;
const PAGE = 1_000;
/** The most that are compared; of more, the others are counted in no plan. */
const ORDERS_MAX = 20_000;

interface Payment {
  order: OrderFacts;
  accountId: string;
  amount: string;
  currency: string;
  /** What a row must have to be like it. */
  key: string;
}

interface Asked {
  /** The lists of the file, which have been read. */
  keys: readonly WatchKey[];
  /** Only what was made since then counts, epoch ms; undefined: nothing does. */
  since: number | undefined;
  /** Ids of orders that the references of rows explain. */
  explained: ReadonlySet<string>;
  isHeld: boolean;
}

/**
 * Finds them, and marks the rows that they may have paid already. The bank shows of no order whom it pays, and amounts are common:
 * a row is marked only if there are as many orders of its account and amount as rows, so that each row may be one of them. Of fewer
 * orders people only read in the plan, since a payroll has many rows of one amount.
 */
export async function markPaidElsewhere(
  lists: BankLists,
  staged: StagedFile,
  { keys, since, explained, isHeld }: Asked,
): Promise<OrdersElsewhere | null> {
  const found = since === undefined ? [] : await paymentsMade(lists, keys, await notInUse(lists, since));
  const others = found.filter(({ order }) => !explained.has(order.order_id));
  if (others.length === 0) return null;
  const byKey = Map.groupBy(others, ({ key }) => key);
  const { accounts, rows } = await rowsLike(staged, byKey);
  const payments = others.filter(({ accountId }) => accounts.has(accountId));
  if (payments.length === 0) return null;
  const like = new Map<string, { row: number; id: string }>();
  const maybe: MaybePaid[] = [];
  for (const [key, its] of rows) {
    const orders = byKey.get(key) ?? [];
    if (its.length > orders.length) {
      maybe.push(maybePaid(staged, orders, its));
      continue;
    }
    for (const [n, row] of its.entries()) {
      const orderId = orders[n]?.order.order_id ?? '';
      const claim = staged.claimAt(row);
      if (claim === undefined) continue;
      like.set(orderId, { row, id: claim.instruction.id });
      // One that looks like an earlier payout is held for that.
      if (isHeld) staged.claim({ ...claim, lookAlikeOf: claim.lookAlikeOf ?? alikeOrder(orderId) });
    }
  }
  return {
    ...summed(payments),
    ...{ alike: like.size, isHeld: isHeld && like.size > 0, listed: listed(payments, like) },
    maybe: maybe.sort((a, b) => a.rows / a.payments - b.rows / b.payments).slice(0, LISTED_MAX),
  };
}

function maybePaid(staged: StagedFile, payments: readonly Payment[], rows: readonly number[]): MaybePaid {
  const { accountId = '', amount = '', currency = '' } = payments[0] ?? {};
  const ids = rows.slice(0, LISTED_MAX).flatMap((row) => staged.claimAt(row)?.instruction.id ?? []);
  return { accountId, amount, currency, payments: payments.length, rows: rows.length, ids };
}

function summed(payments: readonly Payment[]): Pick<OrdersElsewhere, 'count' | 'totals' | 'from' | 'to'> {
  const times = payments.flatMap(({ order }) => order.created_at ?? []);
  const [from = null, to = null] = times.length === 0 ? [] : [Math.min(...times), Math.max(...times)].map(iso);
  return { count: payments.length, totals: totalsOf(payments), from, to };
}

function listed(payments: readonly Payment[], like: ReadonlyMap<string, { row: number; id: string }>): ListedOrder[] {
  const isAlike = ({ order }: Payment): number => Number(like.has(order.order_id));
  const first = payments.toSorted((a, b) => isAlike(b) - isAlike(a)).slice(0, LISTED_MAX);
  return first.map(({ order: { order_id: orderId, created_at: at }, accountId, amount, currency }) => ({
    ...{ orderId, accountId, amount, currency },
    createdAt: at === undefined ? null : iso(at),
    row: like.get(orderId)?.row ?? null,
    id: like.get(orderId)?.id ?? null,
  }));
}

/** When nothing was sent from this store, since then: before its first payout, and between uses of it. */
async function notInUse(
  { store, settings, begunAt }: BankLists,
  since: number,
): Promise<{ from: number; to: number }[]> {
  const { firstAt } = await store.extent();
  if (firstAt === null || (await store.resumed()) === undefined) {
    return [{ from: since, to: begunAt + settings.clockSkewMs }];
  }
  const between = (await store.resumptionsSince(since)).map(({ from, at }) => ({
    from: Math.max(from, since),
    to: at + settings.clockSkewMs,
  }));
  return [{ from: since, to: firstAt }, ...between];
}

/** Payments of the lists that were made then and that may have moved money. */
async function paymentsMade(
  { store, settings }: BankLists,
  keys: readonly WatchKey[],
  spans: readonly { from: number; to: number }[],
): Promise<Payment[]> {
  const found: Payment[] = [];
  if (spans.length === 0) return found;
  for (const key of keys) {
    let after = '';
    for (;;) {
      const page = await store.unaskedOrdersAfter(key, after, PAGE);
      const followed = new Set(
        (await store.payoutsOfOrders(page.map(({ orderId }) => orderId))).map((it) => it.orderId),
      );
      for (const { orderId, shown } of page) {
        const payment = shown === null || followed.has(orderId) ? undefined : paymentOf(key, shown);
        if (payment === undefined || isNoMoney(stageMeaning(payment.order.stage, settings.terms.closedMeans))) continue;
        const { created_at: at } = payment.order;
        if (at === undefined || spans.some(({ from, to }) => from <= at && at <= to)) found.push(payment);
      }
      after = page.at(-1)?.orderId ?? '';
      if (page.length < PAGE || found.length >= ORDERS_MAX) break;
    }
  }
  return found;
}

function paymentOf({ uid, currency }: WatchKey, order: OrderFacts): Payment | undefined {
  const { type = 'PAYMENT', transaction_account: accountId, transaction_amount: amount } = order;
  if (type !== 'PAYMENT' || isReturn(order) || accountId === undefined || amount === undefined) return undefined;
  return { order, accountId, amount, currency, key: keyOf(uid, accountId, amount, currency) };
}

function keyOf(uid: string, accountId: string, amount: string, currency: string): string {
  const parsed = parseAmount(amount, currency);
  return JSON.stringify([uid, accountId, parsed.ok ? `${parsed.minor}` : amount, currency]);
}

/** The accounts of the file, and its rows under each key that a payment has. */
async function rowsLike(
  staged: StagedFile,
  payments: ReadonlyMap<string, unknown>,
): Promise<{ accounts: ReadonlySet<string>; rows: ReadonlyMap<string, number[]> }> {
  const accounts = new Set<string>();
  const rows = new Map<string, number[]>();
  for await (const page of itemsInTurns(staged.claimPages())) {
    for (const { row, instruction } of page) {
      const { uid, account_id: accountId, amount, currency } = instruction;
      accounts.add(accountId);
      const key = keyOf(uid, accountId, amount, currency);
      if (!payments.has(key)) continue;
      const its = rows.get(key);
      if (its === undefined) rows.set(key, [row]);
      else its.push(row);
    }
  }
  return { accounts, rows };
}
