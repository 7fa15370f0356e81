import { countRows, type PayoutState, type StateCounts } from '../domain/payout-state.ts';
import type { ReasonCode } from '../domain/reasons.ts';
import type { Store } from '../store/store.ts';
import { startBatch } from '../temporal/executions.ts';
import { type FollowEnd, followUntil } from './follow-until.ts';
import type { Session } from './session.ts';

/** A batch whose rows have all ended is compared with the bank's orders before it ends itself; a report waits for that. */
const ENDS_WITHIN_MS = 30_000;

/** Follows batches until every row has an end or is with an operator. */
export async function followBatches(
  session: Session,
  batchIds: readonly string[],
  timeoutMs: number | undefined,
): Promise<FollowEnd> {
  const { failure } = await session.stack();
  const [store, client] = [await session.store(), await session.client()];
  for (const batchId of batchIds) {
    const batch = await store.batch(batchId);
    if (batch === undefined) continue;
    // A row with an operator whose workflow is gone is started again: only an open batch looks after its rows.
    if (batch.endedAt !== null) await store.setBatchEnded(batchId, null);
    await startAnew(store, batchId);
    await startBatch(client, batchId, batch.file);
  }
  let atRestSince: number | undefined;
  const isAtRest = async (): Promise<boolean> => {
    let open = 0;
    let ended = true;
    for (const batchId of batchIds) {
      const byState = await store.stateCounts(batchId);
      const counts = countRows(byState);
      open += counts.open;
      ended &&= (await store.batch(batchId))?.endedAt !== null;
      session.output.progress(progressLine(batchId, counts, byState));
    }
    atRestSince = open > 0 ? undefined : (atRestSince ?? performance.now());
    return atRestSince !== undefined && (ended || performance.now() - atRestSince >= ENDS_WITHIN_MS);
  };
  const pulse = () => client.workflowService.getSystemInfo({});
  const end = await followUntil(isAtRest, { timeoutMs, failure, pulse });
  return end === 'time-out' && atRestSince !== undefined ? 'at-rest' : end;
}

function progressLine(batchId: string, counts: StateCounts, byState: ReadonlyMap<PayoutState, number>): string {
  const states = [...byState].filter(([, count]) => count > 0).map(([state, count]) => `${count} ${state}`);
  const done = counts.total - counts.open;
  return `${batchId.slice(0, 8)}  ${done}/${counts.total}  ${states.join(', ')}`;
}

const WORKFLOW_CLOSED: ReasonCode = 'workflow-closed';

/** Somebody asks for these rows again: those that were closed too often are started once more, and look. */
async function startAnew(store: Store, batchId: string): Promise<void> {
  for (const { reference, reason } of await store.rowsIn(batchId, ['needs-operator'])) {
    if (reason?.code === WORKFLOW_CLOSED) await store.forgetClosedRuns(reference);
  }
}
