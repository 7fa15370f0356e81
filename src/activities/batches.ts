import { sleep } from '@temporalio/activity';
import { payoutInput } from '../domain/instruction.ts';
import {
  type BatchControl,
  countRows,
  isEnd,
  isSettled,
  type PayoutState,
  type StateCounts,
} from '../domain/payout-state.ts';
import { because } from '../domain/reasons.ts';
import type { PayoutRecord } from '../store/store.ts';
import { beating } from './beating.ts';
import type { ActivityDeps } from './deps.ts';
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
  done: boolean;
}

/** Workflows started side by side; more only queues them in the server. */
const STARTS_AT_ONCE = 10;
const QUIET_ROWS_AT_ONCE = 50;

export const batchActivities = (deps: ActivityDeps) => ({
  /**
   * Hands rows to payout workflows inside a bounded window and waits, heartbeating, until enough rows are settled. All of
   * it may run again: rows are selected by the store, a start that finds the workflow there is success.
   */
  pumpBatch: (input: PumpInput): Promise<PumpResult> => beating(() => pump(deps, input)),

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
  let quietCheckAt = deps.now() + deps.settings.quietCheckMs;
  let afterRow = 0;
  const askedToCancel = new Set<string>();
  for (;;) {
    const batch = await deps.store.batch(batchId);
    if (batch === undefined) throw new Error(`batch ${batchId} is not in the store`);
    if (batch.control === 'cancelling') await cancelRest(deps, batchId, askedToCancel);
    if (batch.control === 'running') await release(deps, batchId);
    const counts = countRows(await deps.store.stateCounts(batchId));
    const settled = counts.total - counts.open;
    if (counts.open === 0) {
      await reconcileBatch(deps, batch);
      await deps.store.setBatchEnded(batchId, deps.now());
      return { counts, control: batch.control, done: true };
    }
    if (settled >= untilSettled) return { counts, control: batch.control, done: false };
    if (deps.now() >= quietCheckAt) {
      afterRow = await findClosedRows(deps, batchId, afterRow);
      await wakeNeglectedWatches(deps);
      quietCheckAt = deps.now() + deps.settings.quietCheckMs;
    }
    await sleep(deps.settings.batchPulseMs);
  }
}

async function release(deps: ActivityDeps, batchId: string): Promise<void> {
  const room = deps.settings.window - (await deps.store.inFlight(batchId));
  if (room <= 0) return;
  const paused = await deps.store.pausedAccounts(deps.settings.window);
  const rows = await deps.store.releasable(batchId, room, paused);
  for (let i = 0; i < rows.length; i += STARTS_AT_ONCE) {
    const some = rows.slice(i, i + STARTS_AT_ONCE);
    await Promise.all(some.map((row) => start(deps, row)));
    await deps.store.markReleased(
      some.map(({ reference }) => reference),
      deps.now(),
    );
  }
}

async function start(deps: ActivityDeps, row: PayoutRecord): Promise<void> {
  const { instruction } = row;
  await deps.executions.startPayout({
    workflowId: row.workflowId,
    reference: row.reference,
    batchId: row.batchId,
    currency: row.currency,
    input: payoutInput(row),
    summary: `${row.currency} ${row.amount}, document ${instruction.id}`,
  });
}

/** Rows not yet started end here; started ones are asked and decide for themselves. */
async function cancelRest(deps: ActivityDeps, batchId: string, asked: Set<string>): Promise<void> {
  await deps.store.cancelUnreleased(batchId, because('batch-cancelled'), deps.now());
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
  'scheduled',
  'held',
  'awaiting-funds',
  'awaiting-approval',
  'awaiting-bank-approval',
];

/**
 * A row whose workflow was closed without a stored end (terminated, say) is handed to people, never left hanging. Goes
 * through the quiet rows page by page; returns the row to go on after.
 */
async function findClosedRows(deps: ActivityDeps, batchId: string, afterRow: number): Promise<number> {
  const page = { afterRow, limit: QUIET_ROWS_AT_ONCE };
  const rows = await deps.store.quietRows(batchId, deps.now() - deps.settings.quietRowMs, page);
  for (const row of rows) {
    if (await deps.executions.isOpen(row.workflowId)) continue;
    const current = await deps.store.payout(row.reference);
    if (current === undefined || isSettled(current.state)) continue;
    await deps.store.changePayout(row.reference, {
      state: 'needs-operator',
      reason: because('workflow-closed'),
      at: deps.now(),
    });
  }
  return rows.length < QUIET_ROWS_AT_ONCE ? 0 : (rows.at(-1)?.row ?? 0);
}
