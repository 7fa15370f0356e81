import type { BatchRecord, PayoutRecord } from '../../../store/store.ts';
import { unknownId } from '../../find-target.ts';
import { maySee, maySeePayout } from '../may-see.ts';
import type { Place } from './place.ts';

/** Throws a `Problem` if there is no such batch, or the caller may not see it. */
export async function visibleBatch({ store, caller }: Place, batchId: string): Promise<BatchRecord> {
  const batch = await store.batch(batchId);
  if (batch !== undefined && (await maySee(caller, store, batch))) return batch;
  throw unknownId(batchId);
}

/** Throws a `Problem` if there is no such payout, or the caller may not see it. */
export async function visiblePayout({ store, caller }: Place, reference: string): Promise<PayoutRecord> {
  const payout = await store.payout(reference);
  if (payout !== undefined && maySeePayout(caller, payout)) return payout;
  throw unknownId(reference);
}
