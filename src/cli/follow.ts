import { setTimeout as timer } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { countRows, type PayoutState, type StateCounts } from '../domain/payout-state.ts';
import { Problem } from '../domain/problem.ts';
import type { ReasonCode } from '../domain/reasons.ts';
import type { Store } from '../store/store.ts';
import { startBatch } from '../temporal/executions.ts';
import type { Output } from './output.ts';

const LOOK_EVERY_MS = 250;
/** How often the server is asked whether it is there: the store would go on answering without it. */
const PULSE_EVERY_MS = 5_000;

/** A batch whose rows have all ended is compared with the bank's orders before it ends itself; a report waits for that. */
const ENDS_WITHIN_MS = 30_000;

export type FollowEnd = 'settled' | 'time-out' | 'interrupted';

/** Follows batches until every row has an end or is with an operator. Reads the store; the payouts need no follower. */
export async function followBatches(options: {
  store: Store;
  client: Client;
  output: Output;
  batchIds: readonly string[];
  timeoutMs: number | undefined;
  interrupted: AbortSignal;
  /** An embedded part of this process ended by itself. */
  failure: Promise<Error>;
}): Promise<FollowEnd> {
  const { store, client, output, batchIds, timeoutMs, interrupted } = options;
  let failed: Error | undefined;
  void options.failure.then((error) => {
    failed = error;
  });
  let settledAt: number | undefined;
  let pulseAt = performance.now() + PULSE_EVERY_MS;
  for (const batchId of batchIds) {
    const batch = await store.batch(batchId);
    if (batch === undefined) continue;
    // A row with an operator whose workflow is gone is started again: only an open batch looks after its rows.
    if (batch.endedAt !== null) await store.setBatchEnded(batchId, null);
    await startAnew(store, batchId);
    await startBatch(client, batchId, batch.file);
  }
  const until = timeoutMs === undefined ? Number.POSITIVE_INFINITY : performance.now() + timeoutMs;
  for (;;) {
    let open = 0;
    let ended = true;
    for (const batchId of batchIds) {
      const byState = await store.stateCounts(batchId);
      const counts = countRows(byState);
      open += counts.open;
      ended &&= (await store.batch(batchId))?.endedAt !== null;
      output.progress(progressLine(batchId, counts, byState));
    }
    settledAt = open > 0 ? undefined : (settledAt ?? performance.now());
    if (settledAt !== undefined && (ended || performance.now() - settledAt >= ENDS_WITHIN_MS)) return 'settled';
    if (failed !== undefined) throw stackGone(failed);
    if (performance.now() >= pulseAt) {
      await client.workflowService.getSystemInfo({}).catch((error: unknown) => {
        throw stackGone(error);
      });
      pulseAt = performance.now() + PULSE_EVERY_MS;
    }
    if (performance.now() >= until) return settledAt === undefined ? 'time-out' : 'settled';
    await timer(LOOK_EVERY_MS, undefined, { signal: interrupted }).catch(() => undefined);
    if (interrupted.aborted) return 'interrupted';
  }
}

function stackGone(cause: unknown): Problem {
  return new Problem('unreachable', 'temporal-unreachable', 'Temporal does not answer any more.', {
    hint: 'Nothing is lost: `payouts watch ID` or the same `run` follows the batch again.',
    cause,
  });
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
