import { isSettled } from '../domain/payout-state.ts';
import type { Store } from '../store/store.ts';
import type { KnownRows } from './known-rows.ts';

/** The batches that took the rows of a file: those still open, oldest first, and the latest of all. */
export async function takenBefore(
  store: Store,
  { batchIds }: Pick<KnownRows, 'batchIds'>,
): Promise<{ open: string[]; latest: string | undefined }> {
  const batches = (await Promise.all([...batchIds].map((id) => store.batch(id)))).filter((it) => it !== undefined);
  batches.sort((a, b) => a.createdAt - b.createdAt);
  const open: string[] = [];
  for (const { batchId } of batches) if (!(await isSettledBatch(store, batchId))) open.push(batchId);
  return { open, latest: batches.at(-1)?.batchId };
}

/** Whether every row has an end or is with an operator. */
export async function isSettledBatch(store: Store, batchId: string): Promise<boolean> {
  const states = await store.stateCounts(batchId);
  return [...states].every(([state, count]) => count === 0 || isSettled(state));
}
