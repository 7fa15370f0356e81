import type { Assessment } from '../domain/gates.ts';
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
    .$if(change.term !== undefined, (query) => query.where('term', '=', change.term ?? 0))
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

/** What the holder of the claim has read about its payout, and who approved it; false when it does not hold it any more. */
export async function recordAssessment(
  db: Database,
  { reference, term }: { reference: string; term: number },
  assessed: Assessment,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('payouts')
    .set({ assessed: JSON.stringify(assessed) })
    .where('reference', '=', reference)
    .where('term', '=', term)
    .where('state', 'not in', END_STATES)
    .executeTakeFirstOrThrow();
  return numUpdatedRows === 1n;
}

export async function recordApprovals(
  db: Database,
  { reference, digest, by, at }: { reference: string; digest: string; by: readonly string[]; at: number },
): Promise<void> {
  if (by.length === 0) return;
  await db
    .insertInto('decisions')
    .values(by.map((person) => ({ reference, digest, by: person, at })))
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

export async function approvalsOf(db: Database, reference: string, digest: string): Promise<string[]> {
  const rows = await db
    .selectFrom('decisions')
    .select('by')
    .where('reference', '=', reference)
    .where('digest', '=', digest)
    .orderBy('at')
    .execute();
  return rows.map(({ by }) => by);
}
