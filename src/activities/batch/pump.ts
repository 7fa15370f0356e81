import { FAILURES, Misuse } from '../../domain/failures.ts';
import { type BatchControl, countRows, type StateCounts } from '../../domain/payout-state.ts';
import type { ReasonCode } from '../../domain/reasons.ts';
import { switchFactsOf } from '../../domain/switches.ts';
import type { BatchRecord } from '../../store/store.ts';
import type { ActivityDeps } from '../deps.ts';
import type { LongRun } from '../long-run.ts';
import { type Failed, restartAll, restartSome } from '../reconciliation/closed-payouts.ts';
import { reconcileBatch } from '../reconciliation/reconcile.ts';
import { wakeNeglectedWatches } from '../watch/sweep-orders.ts';
import { type CancelAsked, cancelRest } from './cancel-rest.ts';
import { signalPlan } from './control.ts';
import { release } from './release.ts';

export interface PumpInput {
  batchId: string;
  /** Return when this many rows are at rest, or when all are. */
  untilSettled: number;
}

export interface PumpResult {
  counts: StateCounts;
  control: BatchControl;
  /** Why the batch paused itself. */
  controlReason: string | null;
  done: boolean;
}

/**
 * Starts payout workflows within a bounded window and waits until enough rows are at rest. Safe to run again: the store selects
 * the rows, and a start that finds the workflow running counts as success.
 */
export async function pump(
  deps: ActivityDeps,
  { sleep, signal, warn }: LongRun,
  { batchId, untilSettled }: PumpInput,
): Promise<PumpResult> {
  const failed: Failed = (error, reference) => warn('closed payout not started again', { error, reference });
  let checkedAt = Number.NEGATIVE_INFINITY;
  let quietAfter: string | null = null;
  let switchesSeen = '';
  const askedToCancel: CancelAsked = new Map();
  const plansTold = new Set<string>();
  let uncounted = 0;
  let waiting = 0;
  for (;;) {
    const batch = await deps.store.batch(batchId);
    // The store was replaced by an older copy, or somebody started the workflow by hand: retrying does not help.
    if (batch === undefined) throw new Misuse(FAILURES.invalidInput, 'the store does not know this batch');
    if (isOver(deps.settings.quietCheckMs, checkedAt, deps.now())) {
      const quietMs = deps.settings.quietRowMs;
      ({ next: quietAfter } = await restartSome(deps, { batchId }, quietAfter, { failed, quietMs }));
      await wakeNeglectedWatches(deps);
      switchesSeen = await wakeSwitchedOn(deps, batch, switchesSeen);
      await signalPlans(deps, batchId, plansTold);
      checkedAt = deps.now();
    }
    if (batch.control === 'cancelling') await cancelRest(deps, batchId, askedToCancel, warn);
    // Count before looking at the canary: if the count says that all rows are at rest, `release` sees every canary outcome.
    let counts: StateCounts | undefined;
    if (uncounted > 0) {
      uncounted -= 1;
    } else {
      const countedFrom = deps.now();
      counts = countRows(await deps.store.stateCounts(batchId));
      uncounted = pulsesUncounted(deps.now() - countedFrom, deps.settings);
    }
    if (batch.control === 'running') {
      const released = await release(deps, batch, waiting);
      if (released === 'stopped') return progress(deps, batchId);
      waiting = released;
    }
    if (counts?.open === 0 && (await restartAll(deps, { batchId }, { failed })) === 0) {
      await reconcileBatch(deps, signal, batch);
      if (await deps.store.endBatch(batchId, deps.now()))
        return { counts, control: batch.control, controlReason: batch.controlReason, done: true };
    }
    if (counts !== undefined && counts.open > 0 && counts.total - counts.open >= untilSettled)
      return progress(deps, batchId);
    await sleep(deps.settings.batchPulseMs);
  }
}

/** If the clock was set back, the interval counts as over. */
const isOver = (ms: number, since: number, now: number): boolean => now < since || now - since >= ms;

/** Pulses to skip before the next count: counting reads every row and may take a twentieth of the time. */
const pulsesUncounted = (tookMs: number, { batchPulseMs }: { batchPulseMs: number }): number =>
  Math.min(UNCOUNTED_MAX, Math.floor((COUNTED_SELDOM * tookMs) / batchPulseMs));

const COUNTED_SELDOM = 20;
/** Bounds the skip even if the clock was set during the count. */
const UNCOUNTED_MAX = 20;

/** The process that took a signed plan may have died before it signalled the rows. */
async function signalPlans(deps: ActivityDeps, batchId: string, signalled: Set<string>): Promise<void> {
  for (const plan of await deps.store.plansOf(batchId)) {
    if (signalled.has(plan.id)) continue;
    await signalPlan(deps, plan);
    signalled.add(plan.id);
  }
}

async function progress({ store }: ActivityDeps, batchId: string): Promise<PumpResult> {
  const batch = await store.batch(batchId);
  const counts = countRows(await store.stateCounts(batchId));
  return { counts, control: batch?.control ?? 'running', controlReason: batch?.controlReason ?? null, done: false };
}

/**
 * Rows held by a switch check again by themselves, but rarely. Whenever a switch or the batch's control changes, signals those
 * that no switch stops any more. Returns what is off now, for the next call.
 */
async function wakeSwitchedOn(deps: ActivityDeps, batch: BatchRecord, seen: string): Promise<string> {
  const off = JSON.stringify([batch.control, await deps.store.switches()]);
  if (off === seen) return seen;
  for (const row of await deps.store.rowsIn(batch.batchId, ['held'])) {
    if (row.reason?.code !== ('switched-off' satisfies ReasonCode)) continue;
    if ((await deps.store.matchingSwitch(switchFactsOf(row))) === undefined)
      await deps.executions.lookAgain(row.workflowId);
  }
  return off;
}
