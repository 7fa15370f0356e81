import { END_STATES, isEnd } from '../domain/payout-state.ts';
import { payoutRecord } from './records.ts';
import type { Database } from './schema.ts';
import type { PayoutChange, PayoutRecord } from './store.ts';

export async function payout(db: Database, reference: string): Promise<PayoutRecord | undefined> {
  const row = await db.selectFrom('payouts').selectAll().where('reference', '=', reference).executeTakeFirst();
  return row === undefined ? undefined : payoutRecord(row);
}

export async function changePayout(db: Database, reference: string, change: PayoutChange): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('payouts')
    .set({
      state: change.state,
      reason: change.reason ? JSON.stringify(change.reason) : change.reason,
      reason_code: change.reason ? change.reason.code : change.reason,
      funds_needed: change.fundsNeeded,
      order_id: change.orderId,
      fee: change.fee,
      fee_currency: change.feeCurrency,
      updated_at: change.at,
      ended_at: isEnd(change.state) ? change.at : undefined,
    })
    .where('reference', '=', reference)
    .where('state', 'not in', END_STATES)
    .executeTakeFirstOrThrow();
  return numUpdatedRows === 1n;
}

export async function findPayouts(db: Database, id: string, limit: number): Promise<PayoutRecord[]> {
  const rows = await db
    .selectFrom('payouts')
    .selectAll()
    .where((row) =>
      row.or([
        row('batch_id', '=', id),
        row('reference', '=', id),
        row('workflow_id', '=', id),
        row('order_id', '=', id),
        row('document_id', '=', id),
      ]),
    )
    .orderBy('created_at')
    .orderBy('row')
    .orderBy('reference')
    .limit(limit)
    .execute();
  return rows.map(payoutRecord);
}
