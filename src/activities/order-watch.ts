import { cancellationSignal, heartbeat } from '@temporalio/activity';
import { BankError } from '../api/errors.ts';
import { readAllOrders } from '../api/list-pages.ts';
import type { Order } from '../api/schemas/orders.ts';
import { asksForAttention, statusMeaning } from '../domain/order-status.ts';
import { doublingPause } from '../domain/policy.ts';
import type { OpenOrder } from '../store/store.ts';
import type { ActivityDeps } from './deps.ts';
import { pause } from './pause.ts';
import { watchLeaseMs } from './submit.ts';

export interface SweepInput {
  uid: string;
  currency: string;
}

export interface SweepResult {
  /** The open set was empty and the watch is marked gone. */
  ended: boolean;
  sweeps: number;
}

/** After this long the activity returns so that the workflow can show progress and start over with a fresh history. */
const SHIFT_MS = 6 * 3_600_000;

export const orderWatchActivities = (deps: ActivityDeps) => ({
  /**
   * Sweeps the order list of one (uid, currency) until no order is open: one list read serves every open payout, so bank
   * calls grow with orders per page and not with payouts. Heartbeats with every page.
   */
  async sweepOrders(key: SweepInput): Promise<SweepResult> {
    const until = deps.now() + SHIFT_MS;
    const seen = new Set<string>();
    let idle = 0;
    for (let sweeps = 1; ; sweeps += 1) {
      await deps.store.touchWatch(key, deps.now());
      const open = await deps.store.openOrders(key);
      if (open.length === 0 && (await deps.store.endWatch(key))) return { ended: true, sweeps };
      const news = open.length === 0 ? 0 : await sweepSafely(deps, key, open, seen);
      idle = news > 0 || open.some((order) => deps.now() - order.openedAt < deps.settings.sweepMaxMs) ? 0 : idle + 1;
      if (deps.now() > until) return { ended: false, sweeps };
      heartbeat({ sweeps, open: open.length });
      await pause(nextPause(deps, idle), cancellationSignal());
    }
  },
});

function nextPause({ settings }: ActivityDeps, idle: number): number {
  return doublingPause(idle, settings.sweepMs, settings.sweepMaxMs);
}

/** A bank that does not answer ends no watch: the sweep is tried again. */
async function sweepSafely(deps: ActivityDeps, key: SweepInput, open: OpenOrder[], seen: Set<string>): Promise<number> {
  try {
    return await sweep(deps, key, open, seen);
  } catch (error) {
    if (error instanceof BankError) return 0;
    throw error;
  }
}

/** One sweep; returns how many payouts were told something. */
async function sweep(deps: ActivityDeps, key: SweepInput, open: OpenOrder[], seen: Set<string>): Promise<number> {
  const now = deps.now();
  const windowFrom = now - deps.settings.sweepWindowMs;
  const inWindow = open.filter((order) => order.openedAt >= windowFrom);
  const stragglers = open.filter((order) => order.openedAt < windowFrom);
  let told = 0;
  if (inWindow.length > 0) {
    const oldest = Math.min(...inWindow.map((order) => order.openedAt));
    const scan = await readAllOrders(
      deps.bank,
      { ...key, created_at_from: Math.max(0, oldest - deps.settings.clockSkewMs) },
      { pageSize: deps.settings.pageSize, onPage: (page) => heartbeat({ page }), signal: cancellationSignal() },
    );
    const byReference = new Map(open.map((order) => [order.reference, order]));
    for (const order of scan.orders) told += await route(deps, key, order, byReference, seen);
  }
  for (const straggler of stragglers) told += await lookById(deps, key, straggler, now);
  return told;
}

/** Brings one order of the list to the payout that owns its reference, or notes that nobody does. */
async function route(
  deps: ActivityDeps,
  key: SweepInput,
  order: Order,
  byReference: ReadonlyMap<string, OpenOrder>,
  seen: Set<string>,
): Promise<number> {
  const owner = order.client_order_id === undefined ? undefined : byReference.get(order.client_order_id);
  if (owner !== undefined && order.type !== 'REFUND') return tell(deps, key, owner, order);
  if (seen.has(order.order_id)) return 0;
  seen.add(order.order_id);
  await noteForeignOrder(deps, key, order);
  return 0;
}

/** Signals the owner when the status asks something of it and is news to it. */
async function tell(deps: ActivityDeps, key: SweepInput, owner: OpenOrder, order: Order): Promise<number> {
  if (!asksForAttention(statusMeaning(order.status)) || owner.notifiedStatus === order.status) return 0;
  // Read again right before the signal: the other leg's watch may have told of an exchange by now.
  const current = (await deps.store.openOrders(key)).find(({ reference }) => reference === owner.reference);
  if (current === undefined || current.notifiedStatus === order.status) return 0;
  await deps.executions.orderChanged(owner.workflowId, {
    reference: owner.reference,
    orderId: order.order_id,
    status: order.status,
  });
  await deps.store.noteOrder(owner.reference, { orderId: order.order_id, notifiedStatus: order.status });
  return 1;
}

/** An order open for longer than the sweep's window is looked up by id, ever more rarely. */
async function lookById(deps: ActivityDeps, key: SweepInput, owner: OpenOrder, now: number): Promise<number> {
  if (owner.orderId === null || (owner.nextLookAt !== null && now < owner.nextLookAt)) return 0;
  const age = now - owner.openedAt;
  await deps.store.noteOrder(owner.reference, { nextLookAt: now + Math.ceil(age / 10) });
  return tell(deps, key, owner, await deps.bank.orders.get(owner.orderId));
}

/** Money that came back, or an order that no payout of ours asked for: kept as a fact for reports and reconciliation. */
async function noteForeignOrder(deps: ActivityDeps, key: SweepInput, order: Order): Promise<void> {
  const reference = order.client_order_id;
  const ours = reference !== undefined && (await deps.store.attempts(reference)).length > 0;
  const seenAt = deps.now();
  if (order.type === 'REFUND') {
    if (ours && order.transaction_amount !== undefined) {
      const amount = order.transaction_amount;
      await deps.store.recordReturn({ orderId: order.order_id, reference, amount, currency: key.currency, seenAt });
    }
  } else if (!ours && order.direct !== 'IN') {
    await deps.store.recordUnaskedOrder({ orderId: order.order_id, ...key, clientOrderId: reference ?? null, seenAt });
  }
}

/** Wakes the watch of every key that has open orders and no live watch; called at worker boot and by running batches. */
export async function wakeNeglectedWatches(
  deps: Pick<ActivityDeps, 'store' | 'executions' | 'settings' | 'now'>,
): Promise<number> {
  const neglected = await deps.store.neglectedWatches(deps.now() - watchLeaseMs(deps));
  await Promise.all(neglected.map((key) => deps.executions.wakeWatch(key)));
  return neglected.length;
}
