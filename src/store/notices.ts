import { COMMENTED } from './audit/entry.ts';
import { audit } from './audit-log.ts';
import { type Database, inChunks, insertNew, inTransaction } from './engine/database.ts';
import type { AdviceRecord, ReminderRecord } from './notice-tables.ts';
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

/** Keeps a comment as an entry of the audit log, together with its event. */
export function recordComment(
  db: Database,
  { reference, uid, actor, text, at }: { reference: string; uid: string; actor: string; text: string; at: number },
): Promise<void> {
  return inTransaction(db, async (transaction) => {
    await audit(transaction, { at, actor, action: COMMENTED, subject: reference, detail: { remark: text } });
    await announce(transaction, { kind: 'payout.comment', subject: reference, uid, at });
  });
}

export const reminderOf = (db: Database, reference: string): Promise<ReminderRecord | undefined> =>
  db.selectFrom('reminders').selectAll().where('reference', '=', reference).executeTakeFirst();

/** Mails to payees about these payouts. */
export function advicesOf(db: Database, references: readonly string[]): Promise<AdviceRecord[]> {
  const query = db.selectFrom('advices').selectAll();
  return inChunks(references, (some) => query.where('reference', 'in', some).execute());
}

/** Records mails to payees that were not recorded before, each with an audit entry. `why`: for a refused address, in kebab-case. */
export function recordAdvices(db: Database, advices: readonly AdviceRecord[], why?: string): Promise<void> {
  return inTransaction(db, async (transaction) => {
    for (const advice of advices) {
      if ((await insertNew(transaction, 'advices', advice)) === 0) continue;
      const { reference, about, outcome, at } = advice;
      const action = `advice ${outcome}`;
      const detail = { about, ...(why !== undefined && { why }) };
      await audit(transaction, { at, actor: 'product', action, subject: reference, detail });
    }
  });
}
