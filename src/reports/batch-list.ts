import {
  type BatchControl,
  type BatchState,
  batchState,
  countRows,
  needsAttention,
  type StateCounts,
} from '../domain/payout-state.ts';
import type { BatchRecord, Store } from '../store/store.ts';

/** The document of `list`. Fixed by test/e2e/documents.ts. */
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
  /** Rows that wait for people, a held one that only waits for its card payment among them. */
  attention: number;
}

const BATCHES_LISTED = 100;

/** The newest batches of a store that `isShown` lets through. */
export async function listBatches(
  store: Store,
  isShown: (batch: BatchRecord) => Promise<boolean> = async () => true,
): Promise<BatchList> {
  const batches: ListedBatch[] = [];
  for await (const batch of newestBatches(store)) {
    if (!(await isShown(batch))) continue;
    const { batchId, file, control, createdAt } = batch;
    const byState = await store.stateCounts(batchId);
    const counts = countRows(byState);
    const attention = [...byState].reduce((sum, [it, rows]) => sum + (needsAttention(it) ? rows : 0), 0);
    const state = batchState(counts, control);
    batches.push({ batchId, file, state, control, createdAt: new Date(createdAt).toISOString(), counts, attention });
    if (batches.length === BATCHES_LISTED) break;
  }
  return { schemaVersion: 1, batches };
}

async function* newestBatches(store: Store): AsyncGenerator<BatchRecord> {
  for (let after: BatchRecord | undefined; ; ) {
    const page = await store.batches(BATCHES_LISTED, after);
    yield* page;
    after = page.at(-1);
    if (page.length < BATCHES_LISTED) return;
  }
}
