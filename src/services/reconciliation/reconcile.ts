import { BankError } from '../../api/errors.ts';
import { DAY_MS } from '../../domain/durations.ts';
import type { Findings } from '../../domain/reconciliation.ts';
import type { BatchRecord, ReconciliationKey, WatchKey } from '../../store/store.ts';
import type { ActivityDeps } from '../deps.ts';
import { listedFrom } from './bank-time.ts';
import { noteOrders } from './note-orders.ts';

/** A user and a currency, and the time since when their orders are compared. */
export type PlannedKey = ReconciliationKey;

export interface PlanInput {
  /** How far back; absent: as the worker is set. */
  days?: number;
  /** The last key of the page before. */
  after: WatchKey | null;
}

export interface ReconciliationPlan {
  /** The next keys to compare; empty behind the last one. */
  keys: PlannedKey[];
  /** Pause between two passes. */
  everyMs: number;
}

const KEYS_PER_PAGE = 100;

/** A batch does not wait longer than this for its comparison: what it leaves is found by the next pass. */
const BATCH_LIMIT_MS = 15_000;
const KEYS_AT_ONCE = 4;

/** The next keys with payouts that have changed in the days that are watched. It only reads the store. */
export async function planReconciliation(
  { store, settings, now }: ActivityDeps,
  { days = settings.reconcileDays, after }: PlanInput,
): Promise<ReconciliationPlan> {
  const keys = await store.reconciliationKeys(now() - days * DAY_MS, { after, limit: KEYS_PER_PAGE });
  return { keys, everyMs: settings.reconcileEveryMs };
}

/**
 * Compares the orders of one key since a time with what is stored. Reads at the bank, never a POST. A list that moved while it was
 * read is good enough: it only adds facts, and the next pass reads it again.
 */
export async function reconcile(deps: ActivityDeps, key: PlannedKey, signal: AbortSignal): Promise<Findings> {
  const { uid, currency } = key;
  const since = listedFrom(deps, key.since);
  const { pageSize } = deps.settings;
  const { orders } = await deps.bank.orders.listAll({ uid, currency, from: since }, { pageSize, signal });
  return { ...(await noteOrders(deps, { uid, currency, since }, orders)), orders: orders.length };
}

/**
 * One comparison for every key of a batch whose rows have ended, so that what the bank shows already is in its report. A
 * bank that does not answer holds up no batch.
 */
export async function reconcileBatch(deps: ActivityDeps, stop: AbortSignal, batch: BatchRecord): Promise<void> {
  const signal = AbortSignal.any([stop, AbortSignal.timeout(BATCH_LIMIT_MS)]);
  const keys = await deps.store.batchKeys(batch.batchId);
  const lane = async (): Promise<void> => {
    for (let key = keys.shift(); key !== undefined && !signal.aborted; key = keys.shift()) {
      await reconcile(deps, { ...key, since: batch.createdAt }, signal).catch(unlessBank);
    }
  };
  await Promise.all(Array.from({ length: KEYS_AT_ONCE }, lane));
  stop.throwIfAborted();
}

function unlessBank(error: unknown): void {
  if (!(error instanceof BankError)) throw error;
}
