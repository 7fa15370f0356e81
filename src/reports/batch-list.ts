import { type BatchControl, type BatchState, batchState, countRows, type StateCounts } from '../domain/payout-state.ts';
import type { BatchRecord, Store } from '../store/store.ts';

/** The document of `list`. Contract: design, "Commands". */
export interface BatchList {
  schemaVersion: 1;
  /** Newest first. */
  batches: ListedBatch[];
}

export interface ListedBatch {
  batchId: string;
  file: string;
  state: BatchState;
  control: BatchControl;
  /** ISO 8601. */
  createdAt: string;
  counts: StateCounts;
}

const BATCHES_LISTED = 100;

/** The newest batches of a store that `isShown` lets through. */
export async function listBatches(
  store: Store,
  isShown: (batch: BatchRecord) => Promise<boolean> = async () => true,
): Promise<BatchList> {
  const batches: ListedBatch[] = [];
  for (const batch of await store.batches(BATCHES_LISTED)) {
    if (!(await isShown(batch))) continue;
    const { batchId, file, control, createdAt } = batch;
    const counts = countRows(await store.stateCounts(batchId));
    const state = batchState(counts, control);
    batches.push({ batchId, file, state, control, createdAt: new Date(createdAt).toISOString(), counts });
  }
  return { schemaVersion: 1, batches };
}
