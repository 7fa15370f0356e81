import { type BatchControl, type BatchState, batchState, countRows, type StateCounts } from '../domain/payout-state.ts';
import type { Store } from '../store/store.ts';

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

/** The newest batches of a store. */
export async function listBatches(store: Store): Promise<BatchList> {
  const batches: ListedBatch[] = [];
  for (const { batchId, file, control, createdAt } of await store.batches(BATCHES_LISTED)) {
    const counts = countRows(await store.stateCounts(batchId));
    const state = batchState(counts, control);
    batches.push({ batchId, file, state, control, createdAt: new Date(createdAt).toISOString(), counts });
  }
  return { schemaVersion: 1, batches };
}
