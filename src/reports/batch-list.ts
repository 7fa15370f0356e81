import { pagesOf } from '../domain/iterate.ts';
import { batchState, countRows, needsAttention } from '../domain/payout-state.ts';
import type { BatchPlace, BatchRecord, Store } from '../store/store.ts';
import type { BatchList, ListedBatch } from './report-document.ts';

const BATCHES_LISTED = 100;

interface BatchPage {
  limit?: number;
  /** Only those behind this one. */
  behind?: BatchPlace;
}

/** The newest batches of a store for which `isShown` returns true; `last`: the last of them, unless nothing may follow. */
export async function listBatches(
  store: Store,
  isShown: (batch: BatchRecord) => Promise<boolean> = async () => true,
  { limit = BATCHES_LISTED, behind }: BatchPage = {},
): Promise<BatchList & { last?: BatchPlace }> {
  const batches: ListedBatch[] = [];
  const incidents = await store.openIncidentsByBatch();
  for await (const batch of newestBatches(store, behind)) {
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
    if (batches.length === limit) return { schemaVersion: 1, batches, last: { createdAt, batchId } };
  }
  return { schemaVersion: 1, batches };
}

async function* newestBatches(store: Store, first: BatchPlace | undefined): AsyncGenerator<BatchRecord> {
  const following = (last: BatchPlace | undefined = first) => store.batches(BATCHES_LISTED, last);
  for await (const page of pagesOf<BatchRecord>(BATCHES_LISTED, following)) yield* page;
}
