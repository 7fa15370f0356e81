import type { PayoutState } from '../domain/payout-state.ts';
import { batchRecord } from './records.ts';
import type { Database } from './schema.ts';
import type { BatchRecord, LookAlike } from './store.ts';

/** Ends that prove that no money was taken: what looks like such a payout is no second one. */
const UNPAID: readonly PayoutState[] = ['failed', 'rejected', 'cancelled'];

/** The latest payout under each of these keys claimed since, unless it is proven unpaid. */
export async function lookAlikes(db: Database, keys: readonly string[], since: number): Promise<LookAlike[]> {
  if (keys.length === 0) return [];
  const rows = await db
    .selectFrom('payouts')
    .select(['look_alike_key', 'reference', 'created_at'])
    .where('look_alike_key', 'in', keys)
    .where('created_at', '>=', since)
    .where('state', 'not in', UNPAID)
    .orderBy('created_at')
    .execute();
  const latest = new Map<string, LookAlike>();
  for (const { look_alike_key: lookAlikeKey, reference, created_at: createdAt } of rows) {
    if (lookAlikeKey !== null) latest.set(lookAlikeKey, { lookAlikeKey, reference, createdAt });
  }
  return [...latest.values()];
}

/** The latest batch that came as a bank message with this id. */
export async function batchOfMessage(db: Database, messageId: string): Promise<BatchRecord | undefined> {
  const row = await db
    .selectFrom('batches')
    .selectAll()
    .where('message_id', '=', messageId)
    .orderBy('created_at', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row === undefined ? undefined : batchRecord(row);
}
