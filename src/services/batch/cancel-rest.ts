import { isEnd, type PayoutState } from '../../domain/payout-state.ts';
import { because } from '../../domain/reasons.ts';
import { believedFrom } from '../../domain/restored.ts';
import type { ActivityDeps } from '../deps.ts';
import { roomOf, startAll } from './release.ts';

/**
 * Rows not yet started end here; started ones are asked and decide for themselves. That a row was not started is the store's word:
 * while an older copy in its place may have forgotten that, rows are started all the same, so that each looks before it ends.
 */
export async function cancelRest(deps: ActivityDeps, batchId: string, asked: Set<string>): Promise<void> {
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
