import { sendAttempt } from './records.ts';
import type { Database } from './schema.ts';
import type { SendAttempt, Store } from './store.ts';

export async function recordAttempt(db: Database, attempt: Parameters<Store['recordAttempt']>[0]): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('send_attempts')
    .values({
      reference: attempt.reference,
      attempt: attempt.attempt,
      run_id: attempt.runId,
      activity_id: attempt.activityId,
      sent_at: attempt.sentAt,
      outcome: attempt.outcome,
      request: attempt.request === undefined ? null : JSON.stringify(attempt.request),
    })
    .onConflict((conflict) => conflict.columns(['reference', 'attempt']).doNothing())
    .executeTakeFirstOrThrow();
  return numInsertedOrUpdatedRows === 1n;
}

export async function finishAttempt(
  db: Database,
  reference: string,
  attempt: number,
  result: Parameters<Store['finishAttempt']>[2],
): Promise<void> {
  await db
    .updateTable('send_attempts')
    .set({ outcome: result.outcome, order_id: result.orderId, code: result.code })
    .where('reference', '=', reference)
    .where('attempt', '=', attempt)
    .execute();
}

/** Attempts recorded under any of these references, oldest first. */
export async function attempts(db: Database, references: readonly string[]): Promise<SendAttempt[]> {
  const rows = await db
    .selectFrom('send_attempts')
    .selectAll()
    .where('reference', 'in', references)
    .orderBy('sent_at')
    .orderBy('attempt')
    .execute();
  return rows.map(sendAttempt);
}
