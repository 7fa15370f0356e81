import { listedFrom } from '../../bank/bank-time.ts';
import { isBankError, undefinedIf } from '../../bank/errors.ts';
import { DAY_MS } from '../../domain/durations.ts';
import type { ReconciliationFindings } from '../../domain/reconciliation-pass.ts';
import { someAtOnce } from '../../domain/some-at-once.ts';
import type { BatchRecord, ReconciliationKey, WatchKey } from '../../store/store.ts';
import type { ActivityDeps } from '../deps.ts';
import { noteOrders } from './note-orders.ts';

export type PlannedKey = ReconciliationKey;

export interface PlanInput {
  /** How far back; absent: the worker's setting. */
  days?: number;
  /** Last key of the previous page. */
  after: WatchKey | null;
}

export interface ReconciliationPlan {
  /** Next keys to compare; empty after the last one. */
  keys: PlannedKey[];
  /** Pause between two passes. */
  everyMs: number;
}

const KEYS_PER_PAGE = 100;

/** Longest wait of a batch for its comparison; the next pass finds what is left. */
const BATCH_LIMIT_MS = 15_000;
const KEYS_AT_ONCE = 4;

/** Next keys with payouts changed within `days`. Reads only the store. */
export async function planReconciliation(
  { store, settings, now }: ActivityDeps,
  { days = settings.reconcileDays, after }: PlanInput,
): Promise<ReconciliationPlan> {
  const keys = await store.reconciliationKeys(now() - days * DAY_MS, { after, limit: KEYS_PER_PAGE });
  return { keys, everyMs: settings.reconcileEveryMs };
}

/**
 * Compares the orders of one key since a time with the store. Only reads from the bank. A list that moved while it was read is
 * good enough: it only adds facts, and the next pass reads it again.
 */
export async function reconcile(
  deps: ActivityDeps,
  key: PlannedKey,
  signal: AbortSignal,
): Promise<ReconciliationFindings> {
  const { uid, currency } = key;
  const since = listedFrom(deps, key.since);
  const { pageSize } = deps.settings;
  const { orders } = await deps.bank.orders.listAll({ uid, currency, from: since }, { pageSize, signal });
  return { ...(await noteOrders(deps, { uid, currency, since }, orders)), orders: orders.length };
}

/**
 * Compares every key of a batch whose rows have ended, so that its report includes what the bank already shows. A bank that does
 * not answer delays no batch.
 */
export async function reconcileBatch(deps: ActivityDeps, stop: AbortSignal, batch: BatchRecord): Promise<void> {
  const signal = AbortSignal.any([stop, AbortSignal.timeout(BATCH_LIMIT_MS)]);
  const keys = await deps.store.batchKeys(batch.batchId);
  await someAtOnce(keys, KEYS_AT_ONCE, async (key) => {
    if (signal.aborted) return;
    await undefinedIf(isBankError, () => reconcile(deps, { ...key, since: batch.createdAt }, signal));
  });
  stop.throwIfAborted();
}
