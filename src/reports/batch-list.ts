import { pagesOf } from '../domain/iterate.ts';
import { batchState, countRows, needsAttention } from '../domain/payout-state.ts';
import type { BatchRecord, Store } from '../store/store.ts';
import type { BatchList, ListedBatch } from './report-document.ts';

const BATCHES_LISTED = 100;

/** The newest batches of a store for which `isShown` returns true. */
export async function listBatches(
  store: Store,
  isShown: (batch: BatchRecord) => Promise<boolean> = async () => true,
): Promise<BatchList> {
  const batches: ListedBatch[] = [];
  const incidents = await store.openIncidentsByBatch();
  for await (const batch of newestBatches(store)) {
    if (!(await isShown(batch))) continue;
    const { batchId, file, control, createdAt } = batch;
    const byState = await store.stateCounts(batchId);
    const counts = countRows(byState);
    const attention = [...byState].reduce((sum, [it, rows]) => sum + (needsAttention(it) ? rows : 0), 0);
    const state = batchState(counts, control);
    batches.push({
      batchId,
      file,
      state,
      control,
      createdAt: new Date(createdAt).toISOString(),
      counts,
      attention,
      incidents: incidents.get(batchId) ?? 0,
    });
    if (batches.length === BATCHES_LISTED) break;
  }
  return { schemaVersion: 1, batches };
}

async function* newestBatches(store: Store): AsyncGenerator<BatchRecord> {
  const behind = (last?: BatchRecord) => store.batches(BATCHES_LISTED, last);
  for await (const page of pagesOf(BATCHES_LISTED, behind)) yield* page;
}
