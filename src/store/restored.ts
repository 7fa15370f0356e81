import { audit } from './audit.ts';
import type { Database } from './schema.ts';
import type { RestoreRecord } from './store.ts';
import { inTransaction } from './transaction.ts';

const KEY = 'restored_at';

/** The time and the audit entry, both or neither. */
export async function recordRestore(db: Database, { at, by, detail }: RestoreRecord): Promise<void> {
  await inTransaction(db, async (transaction) => {
    await transaction
      .insertInto('meta')
      .values({ key: KEY, value: `${at}` })
      .onConflict((conflict) => conflict.column('key').doUpdateSet({ value: `${at}` }))
      .execute();
    await audit(transaction, { at, actor: by, action: 'restore', subject: 'store', detail });
  });
}

export async function restoredAt(db: Database): Promise<number | undefined> {
  const row = await db.selectFrom('meta').select('value').where('key', '=', KEY).executeTakeFirst();
  return row === undefined ? undefined : Number(row.value);
}
