import type { BatchControl } from '../domain/payout-state.ts';
import { batchRecord } from './records.ts';
import type { Database } from './schema.ts';
import type { BatchRecord } from './store.ts';

export async function batch(db: Database, batchId: string): Promise<BatchRecord | undefined> {
  const row = await db.selectFrom('batches').selectAll().where('batch_id', '=', batchId).executeTakeFirst();
  return row === undefined ? undefined : batchRecord(row);
}

export async function batches(db: Database, limit: number): Promise<BatchRecord[]> {
  const rows = await db
    .selectFrom('batches')
    .selectAll()
    .orderBy('created_at', 'desc')
    .orderBy('batch_id', 'desc')
    .limit(limit)
    .execute();
  return rows.map(batchRecord);
}

/** Oldest first. */
export async function unendedBatches(db: Database): Promise<BatchRecord[]> {
  const rows = await db
    .selectFrom('batches')
    .selectAll()
    .where('ended_at', 'is', null)
    .orderBy('created_at')
    .orderBy('batch_id')
    .execute();
  return rows.map(batchRecord);
}

/** A cancel is final: whatever comes after it is too late. A canary that has stopped its batch ends when the batch runs again. */
export async function setControl(
  db: Database,
  batchId: string,
  control: BatchControl,
  reason?: string,
): Promise<BatchControl> {
  await db
    .updateTable('batches')
    .set({ control, control_reason: control === 'running' ? null : reason })
    .$if(control === 'running', (update) =>
      update.set(({ case: when, ref }) => ({
        canary: when().when('control_reason', 'is', null).then(ref('canary')).else(null).end(),
      })),
    )
    .where('batch_id', '=', batchId)
    .where('control', '!=', 'cancelling')
    .execute();
  const stored = await batch(db, batchId);
  return stored?.control ?? control;
}

export async function endCanary(db: Database, batchId: string): Promise<void> {
  await db.updateTable('batches').set({ canary: null }).where('batch_id', '=', batchId).execute();
}

export async function setBatchEnded(db: Database, batchId: string, endedAt: number | null): Promise<void> {
  await db.updateTable('batches').set({ ended_at: endedAt }).where('batch_id', '=', batchId).execute();
}
