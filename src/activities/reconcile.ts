import { readIfThere } from '../bank/bank-orders.ts';
import { byLaterClock, listedFrom } from '../bank/bank-time.ts';
import { isBankError, undefinedIf } from '../bank/errors.ts';
import type { Order } from '../bank/schemas/orders.ts';
import { dueAt } from '../domain/business-days.ts';
import { CLOSED_RUNS_MAX, closedAgain } from '../domain/claim.ts';
import { payoutInput, payoutTitle } from '../domain/instruction.ts';
import { someAtOnce } from '../domain/iterate.ts';
import { isReturn } from '../domain/order-judgement.ts';
import { isEnd } from '../domain/payout-state.ts';
import { because } from '../domain/reasons.ts';
import type { ReconciliationFindings } from '../domain/reconciliation.ts';
import { inMarkdown } from '../domain/text.ts';
import { DAY_MS } from '../domain/time.ts';
import type {
  BatchRecord,
  PayoutRecord,
  QuietPayout,
  QuietScope,
  ReconciliationKey,
  WatchKey,
} from '../store/store.ts';
import type { ActivityDeps, LongRun } from './deps.ts';
import { noteOrders } from './note-orders.ts';
import { wakeNeglectedWatches } from './watch.ts';

// A released payout without an end whose workflow is not open (terminated, failed, lost with its server) is started again under
// its id: the lock is the claim in the store, and the store's attempts hold what was sent before.

const ROWS_PER_PAGE = 50;
const AT_ONCE = 10;

/** A payout that does not move (it waits for people, say) is not signalled in every pass. */
const NOTIFIED_AGAIN_MS = 3_600_000;

/** Called for a payout that could not be started; the others are processed. */
export type Failed = (error: unknown, reference: string) => void;

/** Processes one page of quiet payouts; `restarted`: how many were started again, `next`: start of the next page, null: anew. */
export async function restartSome(
  deps: ActivityDeps,
  scope: QuietScope,
  after: string | null,
  { failed, quietMs }: { failed: Failed; quietMs: number },
): Promise<{ restarted: number; next: string | null }> {
  const now = deps.now();
  const when = { changedBefore: now - quietMs, now };
  const rows = await deps.store.quietPayouts(scope, when, { after, limit: ROWS_PER_PAGE });
  const restoredAt = (await deps.store.restored())?.at ?? 0;
  let restarted = 0;
  await someAtOnce(rows, AT_ONCE, async (row) => {
    try {
      if (await restart(deps, row, restoredAt)) restarted += 1;
    } catch (error) {
      failed(error, row.reference);
    }
  });
  return { restarted, next: rows.length < ROWS_PER_PAGE ? null : (rows.at(-1)?.reference ?? null) };
}

/** Processes all of them, or as many as time allows; returns how many were started again. */
export async function restartAll(
  deps: ActivityDeps,
  scope: QuietScope,
  { failed, until = Number.POSITIVE_INFINITY }: { failed: Failed; until?: number },
): Promise<number> {
  let restarted = 0;
  let after: string | null = null;
  do {
    const page = await restartSome(deps, scope, after, { failed, quietMs: 0 });
    restarted += page.restarted;
    after = page.next;
  } while (after !== null && deps.now() < until);
  return restarted;
}

/** False if its workflow is open, it has an end, another pass was first, or people are asked instead. */
async function restart(
  deps: ActivityDeps,
  { reference, workflowId, closedRuns, updatedAt }: QuietPayout,
  restoredAt: number,
): Promise<boolean> {
  const { store, executions, settings } = deps;
  if (await executions.isOpen(workflowId)) {
    // An older copy of the store has forgotten what it waits for, and its watch: it must search itself and take its claim anew.
    if (updatedAt <= restoredAt && (await executions.readAgain(workflowId))) {
      await store.countClosedRun(reference, closedRuns, {
        ...closedRuns,
        nextRestartAt: deps.now() + NOTIFIED_AGAIN_MS,
      });
    }
    return false;
  }
  const row = await store.payout(reference);
  if (row === undefined || isEnd(row.state)) return false;
  const now = deps.now();
  const counted = closedAgain(closedRuns, row, { now, firstPauseMs: settings.quietRowMs });
  // Store only the pause first: a payout that could not be started or counted was not closed once more.
  const paused = { ...closedRuns, nextRestartAt: counted.nextRestartAt };
  if (!(await store.countClosedRun(reference, closedRuns, paused))) return false;
  // A payout that is already with an operator keeps its reason.
  const handOver = async (): Promise<void> => {
    if (row.state === 'needs-operator') return;
    await store.changePayout(reference, { state: 'needs-operator', reason: because('workflow-closed'), at: now });
  };
  if (counted.count >= CLOSED_RUNS_MAX) {
    await handOver();
    await store.countClosedRun(reference, paused, counted);
    return false;
  }
  // Its batch may have ended with this row left to people. The row may be at work again, so the batch is open until that is
  // known.
  if (row.batchId !== null) await store.reopenBatch(row.batchId);
  if ((await startPayout(deps, row)) === 'already-started' && !(await executions.isOpen(workflowId))) {
    // The workflow completed but the store has no end: an older copy, say. Sends may be missing too, so the new run begins as one
    // that was searching: it sends nothing on the store's word, and people need not act.
    if (row.state !== 'needs-operator')
      await store.changePayout(reference, { state: 'resolving', reason: because('outcome-unknown'), at: now });
    await startPayout(deps, row, 'even-completed');
  }
  await store.countClosedRun(reference, paused, counted);
  return true;
}

/** Payouts that no running batch covers. */
const UNATTENDED: readonly QuietScope[] = [{ batchId: null }, 'ended-batches'];

/** Below the one-minute limit of the activity; workers and batches find what is left over. */
const RESUME_MS = 30_000;

/** `startUnended`, for as long as an activity may take. */
export const resumeUnended = (deps: ActivityDeps, { warn }: LongRun): Promise<void> =>
  startUnended(deps, (error, id) => warn('a batch or payout could not be started: it is tried again', { error, id }), {
    rowsUntil: deps.now() + RESUME_MS,
  });

/**
 * Starts what should run and does not: claimed batches without an end, payouts, watches. A start that fails is passed to `failed`
 * and stops nothing else. Rows of running batches are left to their batch unless time remains until `rowsUntil`.
 */
export async function startUnended(
  deps: ActivityDeps,
  failed: (error: unknown, id: string) => void,
  { rowsUntil }: { rowsUntil?: number } = {},
): Promise<void> {
  // First, because this may reopen the batch of a payout that comes back from an operator.
  for (const scope of UNATTENDED) await restartAll(deps, scope, { failed, until: rowsUntil });
  for (const { batchId, file } of await deps.store.unendedBatches()) {
    if (rowsUntil !== undefined && deps.now() < rowsUntil) {
      await restartAll(deps, { batchId }, { failed, until: rowsUntil });
    }
    await deps.executions.startBatch(batchId, file).catch((error: unknown) => failed(error, batchId));
  }
  await wakeNeglectedWatches(deps);
}

export interface PlanInput {
  /** How far back; absent: the worker's setting. */
  days?: number;
  /** Last key of the previous page. */
  after: WatchKey | null;
}

export interface ReconciliationPlan {
  /** Next keys to compare; empty after the last one. */
  keys: ReconciliationKey[];
  /** Pause between two passes. */
  everyMs: number;
}

const KEYS_PER_PAGE = 100;

/** Longest wait of a batch for its comparison; the next pass finds what is left. */
const BATCH_LIMIT_MS = 15_000;
const KEYS_AT_ONCE = 4;
const READS_AT_ONCE = 5;

/** Next keys with payouts changed within `days`. Reads only the store. */
export async function planReconciliation(
  deps: ActivityDeps,
  _run: unknown,
  { days = deps.settings.reconcileDays, after }: PlanInput,
): Promise<ReconciliationPlan> {
  const { store, settings, now } = deps;
  const from = now() - days * DAY_MS;
  const keys = await store.reconciliationKeys(from, { after, limit: KEYS_PER_PAGE });
  return {
    keys,
    everyMs: keys.length > 0 ? settings.reconcileEveryMs : await pauseBetweenPasses(deps, from),
  };
}

/** What happens after an end, money that comes back above all, is seen after so long per list that is read. */
const PAUSE_PER_KEY_MS = 60_000;
const PAUSE_LEAST_MS = 5 * 60_000;

/** Few lists are read again after minutes, many as seldom as is set. */
async function pauseBetweenPasses({ store, settings }: ActivityDeps, from: number): Promise<number> {
  const { reconcileEveryMs } = settings;
  const limit = Math.ceil(reconcileEveryMs / PAUSE_PER_KEY_MS);
  const keys = await store.reconciliationKeys(from, { after: null, limit });
  return Math.min(reconcileEveryMs, Math.max(PAUSE_LEAST_MS, keys.length * PAUSE_PER_KEY_MS));
}

/**
 * Compares the orders of one key since a time with the store. Only reads from the bank. A list that moved while it was read is
 * good enough: it only adds facts, and the next pass reads it again.
 */
export async function reconcileOrders(
  deps: ActivityDeps,
  { signal }: { signal: AbortSignal },
  key: ReconciliationKey,
): Promise<ReconciliationFindings> {
  const { uid, currency } = key;
  const since = listedFrom(deps, key.since);
  const { pageSize } = deps.settings;
  const { orders } = await deps.bank.orders.listAll({ uid, currency, from: since }, { pageSize, signal });
  const shown = [...orders, ...(await leftOut(deps, { signal }, key, orders))];
  return { ...(await noteOrders(deps, { uid, currency, since }, shown)), orders: orders.length };
}

/** Payments that the list does not show any more, as reads by their ids do: in another currency, or of another user. */
async function leftOut(
  deps: ActivityDeps,
  { signal }: { signal: AbortSignal },
  { since, ...key }: ReconciliationKey,
  orders: readonly Order[],
): Promise<Order[]> {
  const { store, settings, now } = deps;
  const to = now() - settings.terms.waits.listLagMs;
  const accepted = await store.acceptedIn(key, { from: since, to, completedFrom: since });
  const shown = new Set(
    orders.flatMap((order) => (isReturn(order) ? [order.order_id] : [order.order_id, order.client_order_id])),
  );
  const missing = accepted.filter(({ orderId, reference }) => !shown.has(orderId) && !shown.has(reference));
  const read: Order[] = [];
  await someAtOnce(missing, READS_AT_ONCE, async ({ orderId }) => {
    const order = await undefinedIf(isBankError, () => readIfThere(deps, orderId, { signal }));
    if (order !== undefined) read.push(order);
  });
  return read;
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
    await undefinedIf(isBankError, () => reconcileOrders(deps, { signal }, { ...key, since: batch.createdAt }));
  });
  stop.throwIfAborted();
}

/** Starts the workflow of a row; one due on a later day starts with a delay. */
export function startPayout(
  deps: ActivityDeps,
  row: PayoutRecord,
  evenCompleted?: 'even-completed',
): Promise<'started' | 'already-started'> {
  const { instruction } = row;
  const delayMs = row.claimRunId === null ? delayOf(deps, row) : 0;
  return deps.executions.startPayout({
    kind: row.kind,
    isUrgent: instruction.priority === 'high',
    ...(delayMs > 0 ? { delayMs } : {}),
    ...(evenCompleted && { evenCompleted: true }),
    workflowId: row.workflowId,
    reference: row.reference,
    input: payoutInput(row),
    summary: inMarkdown(payoutTitle(instruction)),
  });
}

/**
 * How long until the day of a row, in ms; not above 0 when it has come. A workflow that begins too early waits for its day, and
 * one that a clock behind has put off begins no sooner when the clock is set right.
 */
export function delayOf({ bank, settings, now }: ActivityDeps, row: PayoutRecord): number {
  const due = dueAt(row.instruction, settings.calendar);
  return due === undefined ? 0 : due - byLaterClock(bank, now());
}
