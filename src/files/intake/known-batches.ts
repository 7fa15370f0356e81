import { isAtRest, isEnd, type PayoutState } from '../../domain/payout-state.ts';
import type { Store } from '../../store/store.ts';
import type { KnownRows } from './checked-file.ts';

/**
 * The batches that took rows of a file: those still open and those with rows for an operator, the oldest first; and the latest of
 * all.
 */
export async function takenBefore(
  store: Store,
  { batchIds }: Pick<KnownRows, 'batchIds'>,
): Promise<{ open: string[]; withOperator: string[]; latest: string | undefined }> {
  const batches = (await Promise.all([...batchIds].map((id) => store.batch(id)))).filter((it) => it !== undefined);
  batches.sort((a, b) => a.createdAt - b.createdAt);
  const open: string[] = [];
  const withOperator: string[] = [];
  for (const { batchId } of batches) {
    if (!(await everyRow(store, batchId, isAtRest))) open.push(batchId);
    else if (!(await isOverBatch(store, batchId))) withOperator.push(batchId);
  }
  return { open, withOperator, latest: batches.at(-1)?.batchId };
}

/** Whether every row has ended. */
export const isOverBatch = (store: Store, batchId: string): Promise<boolean> => everyRow(store, batchId, isEnd);

async function everyRow(store: Store, batchId: string, holds: (state: PayoutState) => boolean): Promise<boolean> {
  const states = await store.stateCounts(batchId);
  return [...states].every(([state, count]) => count === 0 || holds(state));
}
