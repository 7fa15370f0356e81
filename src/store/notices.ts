import { type Database, inTransaction } from './engine/database.ts';
import type { ReminderRecord } from './notice-tables.ts';
import { announce } from './outbox.ts';
import type { PayoutRecord } from './schema.ts';

/** Payouts that have waited for people in a state since before `since`, without a reminder; the longest first. */
export async function notReminded(
  db: Database,
  { state, since, limit }: { state: PayoutRecord['state']; since: number; limit: number },
): Promise<PayoutRecord[]> {
  return db
    .selectFrom('payouts')
    .selectAll('payouts')
    .leftJoin('reminders', (join) =>
      join
        .onRef('reminders.reference', '=', 'payouts.reference')
        .onRef('reminders.stateSince', '=', 'payouts.stateSince'),
    )
    .where('state', '=', state)
    .where('endedAt', 'is', null)
    .where('payouts.stateSince', '<=', since)
    .where('reminders.reference', 'is', null)
    .orderBy('payouts.stateSince')
    .limit(limit)
    .execute();
}

/** Records a reminder, with an event; false if there was one about this wait, or it is over. */
export function recordReminder(db: Database, reminder: ReminderRecord, at: number): Promise<boolean> {
  return inTransaction(db, async (transaction) => {
    const { reference, stateSince } = reminder;
    const waiting = await transaction
      .selectFrom('payouts')
      .select('uid')
      .where('reference', '=', reference)
      .where('stateSince', '=', stateSince)
      .where('endedAt', 'is', null)
      .executeTakeFirst();
    if (waiting === undefined) return false;
    const { numInsertedOrUpdatedRows } = await transaction
      .insertInto('reminders')
      .values(reminder)
      .onConflict((conflict) =>
        conflict
          .column('reference')
          .doUpdateSet(({ ref }) => ({ stateSince: ref('excluded.stateSince'), until: ref('excluded.until') }))
          .where('reminders.stateSince', '!=', stateSince),
      )
      .executeTakeFirstOrThrow();
    if (numInsertedOrUpdatedRows !== 1n) return false;
    await announce(transaction, { kind: 'payout.reminder', subject: reference, uid: waiting.uid, at });
    return true;
  });
}

export const reminderOf = (db: Database, reference: string): Promise<ReminderRecord | undefined> =>
  db.selectFrom('reminders').selectAll().where('reference', '=', reference).executeTakeFirst();
