import { log, sleep } from '@temporalio/activity';
import {
  type BatchControl,
  countRows,
  isEnd,
  isSettled,
  type PayoutState,
  type StateCounts,
} from '../domain/payout-state.ts';
import { because, type ReasonCode } from '../domain/reasons.ts';
import { believedFrom } from '../domain/restored.ts';
import { touchedBy } from '../domain/switches.ts';
import type { ActivityDeps } from '../services/deps.ts';
import {
  delayOf,
  type Failed,
  restartAll,
  restartSome,
  startPayout,
} from '../services/reconciliation/closed-payouts.ts';
import type { BatchRecord, PayoutRecord } from '../store/store.ts';
import { withHeartbeats } from './heartbeats.ts';
import { wakeNeglectedWatches } from './order-watch.ts';
import { reconcileBatch } from './reconciliation.ts';

export interface PumpInput {
  batchId: string;
  /** Return when this many rows are settled, or when all are. */
  untilSettled: number;
}

export interface PumpResult {
  counts: StateCounts;
  control: BatchControl;
  /** Why the batch is paused by itself; absent in histories of before it could be. */
  controlReason?: string | null;
  done: boolean;
}

/** Workflows started side by side; more only queues them in the server. */
const STARTS_AT_ONCE = 10;

export const batchActivities = (deps: ActivityDeps) => ({
  /**
   * Hands rows to payout workflows inside a bounded window and waits, heartbeating, until enough rows are settled. All of
   * it may run again: rows are selected by the store, a start that finds the workflow there is success.
   */
  pumpBatch: (input: PumpInput): Promise<PumpResult> => withHeartbeats(() => pump(deps, input)),

  /** Returns the control in force: a cancel is final. */
  async setBatchControl(order: { batchId: string; control: BatchControl; by: string }): Promise<BatchControl> {
    const { batchId, control, by } = order;
    const inForce = await deps.store.setControl(batchId, control);
    await deps.store.audit({
      at: deps.now(),
      actor: by,
      action: `batch ${control}`,
      subject: batchId,
      detail: { inForce },
    });
    return inForce;
  },

  /** Approves every row of a batch that waits for people; returns how many were asked. */
  async approveRows({ batchId, by, note }: { batchId: string; by: string; note?: string }): Promise<number> {
    const rows = await deps.store.rowsIn(batchId, ['awaiting-approval', 'awaiting-bank-approval']);
    let asked = 0;
    for (const row of rows) if (await deps.executions.approve(row.workflowId, { by, note })) asked += 1;
    return asked;
  },
});

async function pump(deps: ActivityDeps, { batchId, untilSettled }: PumpInput): Promise<PumpResult> {
  let quietCheckAt = 0;
  let quietAfter: string | null = null;
  let switchesSeen = '';
  const askedToCancel = new Set<string>();
  for (;;) {
    const batch = await deps.store.batch(batchId);
    if (batch === undefined) throw new Error(`batch ${batchId} is not in the store`);
    if (deps.now() >= quietCheckAt) {
      const quietMs = deps.settings.quietRowMs;
      const { restarted, next } = await restartSome(deps, { batchId }, quietAfter, { failed, quietMs });
      quietAfter = next;
      // A run of its own: it has not heard that its batch is cancelled.
      for (const workflowId of restarted) askedToCancel.delete(workflowId);
      await wakeNeglectedWatches(deps);
      switchesSeen = await wakeSwitchedOn(deps, batch, switchesSeen);
      quietCheckAt = deps.now() + deps.settings.quietCheckMs;
    }
    if (batch.control === 'cancelling') await cancelRest(deps, batchId, askedToCancel);
    if (batch.control === 'running' && (await release(deps, batch)) === 'stopped') {
      return progress(deps, batchId);
    }
    const counts = countRows(await deps.store.stateCounts(batchId));
    const settled = counts.total - counts.open;
    if (counts.open === 0 && (await restartAll(deps, { batchId }, { failed })) === 0) {
      await reconcileBatch(deps, batch);
      await deps.store.setBatchEnded(batchId, deps.now());
      return { counts, control: batch.control, controlReason: batch.controlReason, done: true };
    }
    if (settled >= untilSettled && counts.open > 0) return progress(deps, batchId);
    await sleep(deps.settings.batchPulseMs);
  }
}

const failed: Failed = (error, reference) => log.warn('closed payout not started again', { error, reference });

async function progress({ store }: ActivityDeps, batchId: string): Promise<PumpResult> {
  const batch = await store.batch(batchId);
  const counts = countRows(await store.stateCounts(batchId));
  return { counts, control: batch?.control ?? 'running', controlReason: batch?.controlReason, done: false };
}

/** `stopped`: a canary row has paused the batch. */
async function release(deps: ActivityDeps, batch: BatchRecord): Promise<'stopped' | undefined> {
  const canary = batch.canary === null ? 'over' : await canaryOf(deps, batch, batch.canary);
  if (canary === 'stopped') return 'stopped';
  const room = await roomOf(deps, batch.batchId);
  if (room <= 0) return undefined;
  const paused = await deps.store.pausedAccounts(deps.settings.window);
  const rows = await deps.store.releasable(batch.batchId, room, paused);
  const due = canary === 'over' ? rows : rows.filter(({ reference }) => canary.has(reference));
  await startAll(deps, due);
  return undefined;
}

/** How many more rows may be under way. */
async function roomOf({ store, settings }: ActivityDeps, batchId: string): Promise<number> {
  const { unaccepted, openOrders } = await store.inFlight(batchId);
  return Math.max(0, Math.min(settings.window - unaccepted, settings.openOrders - openOrders));
}

async function startAll(deps: ActivityDeps, rows: readonly PayoutRecord[]): Promise<void> {
  for (let i = 0; i < rows.length; i += STARTS_AT_ONCE) await startSome(deps, rows.slice(i, i + STARTS_AT_ONCE));
}

/** What the canary of a batch allows: its own rows, every row once all of them are completed, or none any more. */
async function canaryOf(
  deps: ActivityDeps,
  { batchId }: BatchRecord,
  count: number,
): Promise<ReadonlySet<string> | 'over' | 'stopped'> {
  const rows = await deps.store.canaryRows(batchId, count);
  const failed = rows.find(({ state }) => isSettled(state) && state !== 'completed');
  if (failed !== undefined) {
    const why = failed.reasonCode === null ? '' : ` (${failed.reasonCode})`;
    const reason = `canary: row ${failed.row ?? 0} is ${failed.state}${why}`;
    await deps.store.setControl(batchId, 'paused', reason);
    await auditCanary(deps, batchId, 'batch paused', reason);
    return 'stopped';
  }
  if (rows.some(({ state }) => state !== 'completed')) return new Set(rows.map(({ reference }) => reference));
  await deps.store.endCanary(batchId);
  await auditCanary(deps, batchId, 'canary over', `${rows.length} rows completed`);
  return 'over';
}

function auditCanary({ store, now }: ActivityDeps, subject: string, action: string, reason: string): Promise<void> {
  return store.audit({ at: now(), actor: 'canary', action, subject, detail: { reason } });
}

/** A row that is due on a later day costs nothing until then: its workflow begins with a delay. */
async function startSome(deps: ActivityDeps, rows: readonly PayoutRecord[]): Promise<void> {
  const start = async (row: PayoutRecord): Promise<void> => {
    if ((await startPayout(deps, row)) === 'started') return;
    // It runs, and the store says that it was never released: an older copy, maybe, that its run has to hear of.
    await deps.executions.lookAgain(row.workflowId);
  };
  await Promise.all(rows.map(start));
  const references = (some: readonly PayoutRecord[]): string[] => some.map(({ reference }) => reference);
  const later = rows.filter((row) => delayOf(deps, row) > 0);
  await deps.store.markScheduled(references(later), because('not-yet-due'), deps.now());
  await deps.store.markReleased(references(rows), deps.now());
}

/**
 * Rows held by a switch look by themselves, but seldom: those that no switch stops any more are told to, each time that
 * something was switched or the batch's control was changed. Returns what is off now.
 */
async function wakeSwitchedOn(deps: ActivityDeps, batch: BatchRecord, seen: string): Promise<string> {
  const off = JSON.stringify([batch.control, await deps.store.switches()]);
  if (off === seen) return seen;
  for (const row of await deps.store.rowsIn(batch.batchId, ['held'])) {
    if (row.reason?.code !== ('switched-off' satisfies ReasonCode)) continue;
    if ((await deps.store.matchingSwitch(touchedBy(row))) === undefined)
      await deps.executions.lookAgain(row.workflowId);
  }
  return off;
}

/**
 * Rows not yet started end here; started ones are asked and decide for themselves. That a row was not started is the store's word:
 * while an older copy in its place may have forgotten that, rows are started all the same, so that each looks before it ends.
 */
async function cancelRest(deps: ActivityDeps, batchId: string, asked: Set<string>): Promise<void> {
  const believed = believedFrom(await deps.store.restored(), deps.settings);
  await deps.store.cancelUnreleased(batchId, believed, because('batch-cancelled'), deps.now());
  const room = await roomOf(deps, batchId);
  if (believed !== null && room > 0) await startAll(deps, await deps.store.releasable(batchId, room, []));
  const open = (await deps.store.rowsIn(batchId, CANCELLABLE)).filter((row) => !isEnd(row.state));
  for (const row of open) {
    // Once: an update is an event of the payout, whatever it answers.
    if (asked.has(row.workflowId)) continue;
    asked.add(row.workflowId);
    await deps.executions.cancelPayout(row.workflowId, { by: 'batch', reason: 'the batch was cancelled' });
  }
}

/** States in which a started payout can still be stopped without an order at the bank that is past its audit. */
const CANCELLABLE: readonly PayoutState[] = [
  'received',
  'preparing',
  'resolving',
  'scheduled',
  'held',
  'awaiting-funds',
  'awaiting-approval',
  'awaiting-bank-approval',
];
