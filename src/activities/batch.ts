import type { SignedDecision } from '../domain/authority.ts';
import { FAILURES, Misuse } from '../domain/failures.ts';
import { someAtOnce } from '../domain/iterate.ts';
import { roomInQueue } from '../domain/pace.ts';
import {
  type BatchControl,
  CANCELLABLE_STATES,
  countRows,
  isSettled,
  type StateCounts,
} from '../domain/payout-state.ts';
import { because, type ReasonCode } from '../domain/reasons.ts';
import { believedFrom } from '../domain/store-past.ts';
import { switchFactsOf } from '../domain/switches.ts';
import type { BatchRecord, InFlight, PayoutRecord } from '../store/store.ts';
import { NOT_NOTIFIED, notifyOfExchanges } from './batch-exchange.ts';
import type { ActivityDeps, LongRun } from './deps.ts';
import { delayOf, type Failed, reconcileBatch, restartAll, restartSome, startPayout } from './reconcile.ts';
import { wakeNeglectedWatches } from './watch.ts';

/**
 * Returns the control in force; a cancel is final. Anyone with access to the namespace can send this, under any name: under a
 * policy it can therefore only tighten the control. Resuming goes through `updateBatch`, which knows the caller.
 */
export async function setBatchControl(
  { store, now, settings }: ActivityDeps,
  _run: unknown,
  { batchId, control, by }: { batchId: string; control: BatchControl; by: string },
): Promise<BatchControl> {
  return store.controlBatch({ batchId, control, by, at: now(), onlyTightens: settings.policy !== undefined });
}

/** How long rows of a new batch are waited for: they ask once they are started and have read the bank. */
const ASKS_SOON_MS = 10_000;
const PULSE_MS = 250;

/**
 * Approves every row of a batch that waits for people; returns how many were asked. Right after the batch was taken, waits for
 * rows that do not ask yet.
 */
export async function approveRows(
  { store, executions, now }: ActivityDeps,
  { sleep }: LongRun,
  { batchId, by, note }: { batchId: string; by: string; note?: string },
): Promise<number> {
  const { createdAt = 0 } = (await store.batch(batchId)) ?? {};
  const isPrepared = async (): Promise<boolean> => {
    const counts = await store.stateCounts(batchId);
    return !counts.has('received') && !counts.has('preparing');
  };
  while (now() - createdAt < ASKS_SOON_MS && !(await isPrepared())) await sleep(PULSE_MS);
  const rows = await store.rowsIn(batchId, ['awaiting-approval', 'awaiting-bank-approval']);
  let asked = 0;
  for (const { row, workflowId } of rows) {
    // An exchange for all rows is a question of its own.
    if (row !== null && (await executions.approve(workflowId, { by, note }))) asked += 1;
  }
  return asked;
}

/**
 * Signals the decision to every row of a signed plan that asks its question; each row verifies what was signed. Returns how many.
 */
export async function signalPlan(
  { store, executions }: Pick<ActivityDeps, 'store' | 'executions'>,
  plan: Pick<SignedDecision, 'question' | 'decision' | 'digest' | 'subject' | 'remark'>,
): Promise<number> {
  const { decision, subject: by, remark } = plan;
  const waiting = await store.awaitingUnder(plan);
  const notify = (workflowId: string): Promise<boolean> =>
    decision === 'approve' ? executions.approve(workflowId, { by }) : executions.reject(workflowId, { by, remark });
  await someAtOnce(waiting, AT_ONCE, notify);
  return waiting.length;
}

/** Workflows started or reached side by side; more only queues in the server. */
const AT_ONCE = 10;

/** By payout and run: epoch ms from which it may be asked to cancel (again); infinity once it has accepted the cancel. */
export type CancelAsked = Map<string, number>;

/** Payload of the cancel update, the same from every caller: all of them send one update id, which a run accepts once. */
export const BATCH_CANCELLED = { by: 'batch', reason: 'the batch was cancelled' } as const;

/**
 * Ends rows that were not started and asks started ones to cancel; those decide for themselves. After the store was replaced by
 * an older copy, its "not started" is not believed for a while: such rows are started, so that each reads the bank before it
 * ends.
 */
export async function cancelRest(
  deps: ActivityDeps,
  batchId: string,
  asked: CancelAsked,
  warn: LongRun['warn'],
): Promise<void> {
  const believed = believedFrom(await deps.store.restored(), deps.settings);
  await deps.store.cancelUnreleased(batchId, believed, because('batch-cancelled'), deps.now());
  const room = await roomOf(deps, batchId);
  if (believed !== null && room > 0) await startAll(deps, await deps.store.releasable(batchId, room, []));
  const now = deps.now();
  const due = (await deps.store.rowsIn(batchId, CANCELLABLE_STATES)).filter(
    (row) => now >= (asked.get(runOf(row)) ?? 0),
  );
  await someAtOnce(due, AT_ONCE, (row) => ask(deps, row, asked, warn));
}

/** Asks each run once, a new run of the same payout again. A row that accepts no cancel now does not delay the others. */
async function ask(deps: ActivityDeps, row: PayoutRecord, asked: CancelAsked, warn: LongRun['warn']): Promise<void> {
  const again = deps.now() + deps.settings.quietCheckMs;
  try {
    const isTaken = await deps.executions.cancelPayout(row.workflowId, BATCH_CANCELLED);
    asked.set(runOf(row), isTaken ? Number.POSITIVE_INFINITY : again);
  } catch (error) {
    asked.set(runOf(row), again);
    warn('a payout of a cancelled batch did not accept the cancel', { error, reference: row.reference });
  }
}

const runOf = ({ workflowId, claimRunId }: PayoutRecord): string => `${workflowId} ${claimRunId}`;

/**
 * Starts as many rows as the window and the workers have room for; returns how many wait for a worker then. `stopped`: a canary
 * row has paused the batch.
 *
 * @param before how many waited after the last release
 */
async function release(deps: ActivityDeps, batch: BatchRecord, before: number): Promise<'stopped' | number> {
  const canary = batch.canary === null ? 'over' : await canaryOf(deps, batch, batch.canary);
  if (canary === 'stopped') return 'stopped';
  const inFlight = await deps.store.inFlight(batch.batchId);
  const { waiting } = inFlight;
  const room = Math.min(await roomBeside(deps, batch.batchId, inFlight), roomInQueue(before, waiting));
  if (room <= 0) return waiting;
  const paused = await deps.store.pausedAccounts(deps.settings.window);
  const rows = await deps.store.releasable(batch.batchId, room, paused);
  const due = canary === 'over' ? rows : rows.filter(({ reference }) => canary.has(reference));
  await startAll(deps, due);
  return waiting + due.length;
}

/** How many more rows may be under way. */
const roomOf = async (deps: ActivityDeps, batchId: string): Promise<number> =>
  roomBeside(deps, batchId, await deps.store.inFlight(batchId));

/** What others have open keeps no batch from having a window of its own open. */
async function roomBeside(
  { store, settings }: ActivityDeps,
  batchId: string,
  { unaccepted, openOrders }: InFlight,
): Promise<number> {
  const { window } = settings;
  const left = settings.openOrders - openOrders;
  const open = left >= window ? left : Math.max(left, window - (await store.openIn(batchId, window)));
  return Math.max(0, Math.min(window - unaccepted, open));
}

async function startAll(deps: ActivityDeps, rows: readonly PayoutRecord[]): Promise<void> {
  for (let i = 0; i < rows.length; i += AT_ONCE) await startSome(deps, rows.slice(i, i + AT_ONCE));
}

/** What the canary allows: only its own rows, all rows (`over`: every canary row is completed), or none (`stopped`). */
async function canaryOf(
  deps: ActivityDeps,
  { batchId }: BatchRecord,
  count: number,
): Promise<ReadonlySet<string> | 'over' | 'stopped'> {
  const first = await deps.store.canaryRows(batchId, count);
  // Of the exchanges, which are always among the first, those that buy for these rows: others may be for later days.
  const named = new Set(first.map(({ instruction }) => instruction.exchanged_by));
  const rows = first.filter(({ row, reference }) => row !== null || named.has(reference));
  const failed = rows.find(({ state }) => isSettled(state) && state !== 'completed');
  if (failed !== undefined) {
    const why = failed.reasonCode === null ? '' : ` (${failed.reasonCode})`;
    const what = failed.row === null ? 'the exchange' : `row ${failed.row}`;
    const reason = `canary: ${what} is ${failed.state}${why}`;
    await deps.store.controlBatch({ batchId, control: 'paused', by: 'canary', reason, at: deps.now() });
    return 'stopped';
  }
  if (rows.some(({ state }) => state !== 'completed')) return new Set(rows.map(({ reference }) => reference));
  const ofFile = rows.filter(({ row }) => row !== null).length;
  await deps.store.endCanary(batchId, `${ofFile} rows completed`, deps.now());
  return 'over';
}

/** Starts the rows; those due on a later day start with a delay. */
async function startSome(deps: ActivityDeps, rows: readonly PayoutRecord[]): Promise<void> {
  const start = async (row: PayoutRecord): Promise<void> => {
    if ((await startPayout(deps, row)) === 'started') return;
    // It runs, though the store says it was never released: the store may be an older copy, and the run must notice.
    await deps.executions.readAgain(row.workflowId);
  };
  await Promise.all(rows.map(start));
  const references = (some: readonly PayoutRecord[]): string[] => some.map(({ reference }) => reference);
  const later = rows.filter((row) => delayOf(deps, row) > 0);
  await deps.store.markScheduled(references(later), because('not-yet-due'), deps.now());
  await deps.store.markReleased(references(rows), deps.now());
}

export interface RunBatchInput {
  batchId: string;
  /** Return when this many rows are settled, or when all are. */
  untilSettled: number;
}

export interface BatchProgress {
  counts: StateCounts;
  control: BatchControl;
  /** Why the batch paused itself. */
  controlReason: string | null;
  done: boolean;
}

/**
 * Starts payout workflows within a bounded window and waits until enough rows are settled. Safe to run again: the store selects
 * the rows, and a start that finds the workflow running counts as success.
 */
export async function runBatch(
  deps: ActivityDeps,
  { sleep, signal, warn }: LongRun,
  { batchId, untilSettled }: RunBatchInput,
): Promise<BatchProgress> {
  const failed: Failed = (error, reference) => warn('closed payout not started again', { error, reference });
  let checkedAt = Number.NEGATIVE_INFINITY;
  let quietAfter: string | null = null;
  let switchesSeen = '';
  const askedToCancel: CancelAsked = new Map();
  const plansSeen = new Map<string, 'new' | 'done'>();
  let notified = NOT_NOTIFIED;
  let uncounted = 0;
  let waiting = 0;
  let exchanges = await deps.store.exchangesOf(batchId);
  for (;;) {
    // Before the batch is read: what was taken back until then is seen.
    const readAt = deps.now();
    const batch = await deps.store.batch(batchId);
    // The store was replaced by an older copy, or somebody started the workflow by hand: retrying does not help.
    if (batch === undefined) throw new Misuse(FAILURES.invalidInput, 'the store does not know this batch');
    if (isOver(deps.settings.quietCheckMs, checkedAt, deps.now())) {
      const quietMs = deps.settings.quietRowMs;
      ({ next: quietAfter } = await restartSome(deps, { batchId }, quietAfter, { failed, quietMs }));
      await wakeNeglectedWatches(deps);
      switchesSeen = await wakeSwitchedOn(deps, batch, switchesSeen);
      await signalPlans(deps, batchId, plansSeen);
      checkedAt = deps.now();
    }
    if (batch.control === 'cancelling') await cancelRest(deps, batchId, askedToCancel, warn);
    // Count before reading the canary: if the count says that all rows are settled, `release` sees every canary outcome.
    let counts: StateCounts | undefined;
    if (uncounted > 0) {
      uncounted -= 1;
    } else {
      const countedFrom = deps.now();
      counts = countRows(await deps.store.stateCounts(batchId));
      uncounted = pulsesUncounted(deps.now() - countedFrom, deps.settings);
    }
    if (batch.control === 'running' && !isHeld(batch, readAt)) {
      const released = await release(deps, batch, waiting);
      if (released === 'stopped') return progress(deps, batchId);
      waiting = released;
    }
    // Claimed with the batch: one without any gets none later.
    if (exchanges.length > 0) {
      exchanges = await deps.store.exchangesOf(batchId);
      notified = await notifyOfExchanges(deps, batchId, exchanges, { ...notified, room: () => roomOf(deps, batchId) });
      if (counts?.open === 0 && !exchanges.every(({ state }) => isSettled(state))) counts = undefined;
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

const isHeld = ({ heldUntil }: BatchRecord, now: number): boolean => heldUntil !== null && now < heldUntil;

/** If the clock was set back, the interval counts as over. */
const isOver = (ms: number, since: number, now: number): boolean => now < since || now - since >= ms;

/** Pulses to skip before the next count: counting reads every row and may take a twentieth of the time. */
const pulsesUncounted = (tookMs: number, { batchPulseMs }: { batchPulseMs: number }): number =>
  Math.min(UNCOUNTED_MAX, Math.floor((COUNTED_SELDOM * tookMs) / batchPulseMs));

const COUNTED_SELDOM = 20;
/** Bounds the skip even if the clock was set during the count. */
const UNCOUNTED_MAX = 20;

/**
 * The process that took a signed plan may have died before it signalled the rows. It has until the next check: of two signals, the
 * second would be recorded as a refused decision.
 */
async function signalPlans(deps: ActivityDeps, batchId: string, seen: Map<string, 'new' | 'done'>): Promise<void> {
  for (const plan of await deps.store.plansOf(batchId)) {
    if (seen.get(plan.id) === 'new') await signalPlan(deps, plan);
    seen.set(plan.id, seen.has(plan.id) ? 'done' : 'new');
  }
}

async function progress({ store }: ActivityDeps, batchId: string): Promise<BatchProgress> {
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
      await deps.executions.readAgain(row.workflowId);
  }
  return off;
}
