import type { Bank } from '../../bank/bank.ts';
import type { Order } from '../../bank/schemas/orders.ts';
import { DAY_MS } from '../../domain/durations.ts';
import { payloadDigest } from '../../domain/identity.ts';
import {
  COMPLETED,
  type LogDifference,
  type MoneyEntry,
  orderDifferencesFromLog,
  rowDifferences,
  shortened,
} from '../../domain/logged-money.ts';
import { isArrival, isReturn } from '../../domain/order-judgement.ts';
import { ClaimedRows } from '../../store/audit/claimed-rows.ts';
import type { PayoutRecord, Store } from '../../store/store.ts';

/** What was compared, and in what rows and orders differ from the log. */
export interface LogComparison {
  payouts: number;
  /** Completed payouts whose order the bank has shown; null: no bank was asked. */
  orders: number | null;
  differences: LogDifference[];
}

/** Differences that are kept; the others are not looked for. */
const KEPT_MAX = 1_000;

/** Compares every row of the store, and with a bank the orders that it shows, with what the log says of them. */
export async function compareWithLog(store: Store, bank: Pick<Bank, 'orders'> | undefined): Promise<LogComparison> {
  const differences = [...(await batchDifferences(store)), ...(await goneRows(store))];
  const orders = bank && new ShownOrders(bank, await store.firstClaims());
  const compared = { payouts: 0, orders: orders === undefined ? null : 0 };
  for await (const page of store.payoutPages()) {
    const entries = Map.groupBy(
      await store.numberedEntriesOf(page.map(({ reference }) => reference)),
      ({ subject }) => subject,
    );
    for (const row of page) {
      const its = entries.get(row.reference) ?? [];
      compared.payouts += 1;
      differences.push(...rowDifferences({ ...row, digest: payloadDigest(row.instruction) }, its));
      const order = await orders?.of(row, its);
      if (order === undefined) continue;
      compared.orders = (compared.orders ?? 0) + 1;
      differences.push(...orderDifferencesFromLog(row, its, order));
    }
    if (differences.length >= KEPT_MAX) break;
  }
  return { ...compared, differences: differences.slice(0, KEPT_MAX) };
}

/** The root over the rows of each claimed batch. */
async function batchDifferences(store: Store): Promise<LogDifference[]> {
  const found: LogDifference[] = [];
  for await (const page of store.entriesWith(['batch claimed', 'batch retried'])) {
    for (const { seq, subject, detail } of page) {
      const [claimed, before] = [new ClaimedRows(), { rows: detail.rows ?? '', root: detail.root ?? '' }];
      let count = 0;
      for await (const { reference, instruction } of store.rows(subject)) {
        claimed.add({ reference, payloadDigest: payloadDigest(instruction) });
        count += 1;
      }
      const now = { rows: `${count}`, root: claimed.root() };
      for (const field of ['rows', 'root'] as const) {
        if (before[field] === now[field]) continue;
        found.push({ seq, subject, field, ...shortened(field, before[field], now[field]), where: 'row' });
      }
    }
  }
  return found;
}

/** Payouts that the log knows and the store has no more. */
async function goneRows(store: Store): Promise<LogDifference[]> {
  const gone = await store.entriesWithoutPayout(['payout claimed', 'order sent', COMPLETED], KEPT_MAX);
  return gone.map(({ seq, subject, action }) => ({
    ...{ seq, subject, field: 'row', logged: action, found: '', where: 'row' },
  }));
}

/** Orders by the lists of the bank: calls grow with orders a page, not with payouts. */
class ShownOrders {
  readonly #bank: Pick<Bank, 'orders'>;
  readonly #lists = new Map<string, Promise<ReadonlyMap<string, Order>>>();
  readonly #since: ReadonlyMap<string, number>;

  constructor(bank: Pick<Bank, 'orders'>, firstClaims: readonly { uid: string; createdAt: number }[]) {
    this.#bank = bank;
    this.#since = new Map(firstClaims.map(({ uid, createdAt }) => [uid, createdAt]));
  }

  /** Undefined if the payout is not completed, or a list does not show its order: that proves nothing. */
  async of(row: PayoutRecord, entries: readonly MoneyEntry[]): Promise<Order | undefined> {
    const { uid, orderId, instruction } = row;
    if (orderId === null || !entries.some(({ action }) => action === COMPLETED)) return undefined;
    const key = `${uid} ${instruction.currency}`;
    const list = this.#lists.get(key) ?? this.#read(uid, instruction.currency);
    this.#lists.set(key, list);
    return (await list).get(orderId);
  }

  async #read(uid: string, currency: string): Promise<ReadonlyMap<string, Order>> {
    // The clock of the bank may be behind ours.
    const from = (this.#since.get(uid) ?? DAY_MS) - DAY_MS;
    const { orders } = await this.#bank.orders.listAll({ uid, currency, from });
    const own = orders.filter((order) => !isReturn(order) && !isArrival(order));
    return new Map(own.map((order) => [order.order_id, order]));
  }
}
