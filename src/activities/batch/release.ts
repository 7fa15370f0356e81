import { isAtRest } from '../../domain/payout-state.ts';
import { because } from '../../domain/reasons.ts';
import { roomInQueue } from '../../domain/release-pace.ts';
import type { BatchRecord, InFlight, PayoutRecord } from '../../store/store.ts';
import type { ActivityDeps } from '../deps.ts';
import { delayOf, startPayout } from '../start-payout.ts';

/** Workflows started side by side; more only queues them in the server. */
const STARTS_AT_ONCE = 10;

/**
 * Starts as many rows as the window and the workers have room for; returns how many wait for a worker then. `stopped`: a canary
 * row has paused the batch.
 *
 * @param before how many waited after the last release
 */
export async function release(deps: ActivityDeps, batch: BatchRecord, before: number): Promise<'stopped' | number> {
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
export const roomOf = async (deps: ActivityDeps, batchId: string): Promise<number> =>
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

export async function startAll(deps: ActivityDeps, rows: readonly PayoutRecord[]): Promise<void> {
  for (let i = 0; i < rows.length; i += STARTS_AT_ONCE) await startSome(deps, rows.slice(i, i + STARTS_AT_ONCE));
}

/** What the canary allows: only its own rows, all rows (`over`: every canary row is completed), or none (`stopped`). */
async function canaryOf(
  deps: ActivityDeps,
  { batchId }: BatchRecord,
  count: number,
): Promise<ReadonlySet<string> | 'over' | 'stopped'> {
  const rows = await deps.store.canaryRows(batchId, count);
  const failed = rows.find(({ state }) => isAtRest(state) && state !== 'completed');
  if (failed !== undefined) {
    const why = failed.reasonCode === null ? '' : ` (${failed.reasonCode})`;
    const reason = `canary: row ${failed.row ?? 0} is ${failed.state}${why}`;
    await deps.store.controlBatch({ batchId, control: 'paused', by: 'canary', reason, at: deps.now() });
    return 'stopped';
  }
  if (rows.some(({ state }) => state !== 'completed')) return new Set(rows.map(({ reference }) => reference));
  await deps.store.endCanary(batchId, `${rows.length} rows completed`, deps.now());
  return 'over';
}

/** Starts the rows; those due on a later day start with a delay. */
async function startSome(deps: ActivityDeps, rows: readonly PayoutRecord[]): Promise<void> {
  const start = async (row: PayoutRecord): Promise<void> => {
    if ((await startPayout(deps, row)) === 'started') return;
    // It runs, though the store says it was never released: the store may be an older copy, and the run must notice.
    await deps.executions.lookAgain(row.workflowId);
  };
  await Promise.all(rows.map(start));
  const references = (some: readonly PayoutRecord[]): string[] => some.map(({ reference }) => reference);
  const later = rows.filter((row) => delayOf(deps, row) > 0);
  await deps.store.markScheduled(references(later), because('not-yet-due'), deps.now());
  await deps.store.markReleased(references(rows), deps.now());
}
