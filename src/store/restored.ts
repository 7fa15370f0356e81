import { audit } from './audit.ts';
import type { Database } from './database.ts';
import { inTransaction } from './transaction.ts';

/** What others than this store sent between these times (epoch ms) may be missing in it. */
export interface Restored {
  from: number;
  at: number;
}

/** Who put this store in the place of another one; audited under the subject `store`. */
export interface RestoreRecord extends Restored {
  /** Id of the store whose namespace this one takes; absent: a copy was put in this one's place. */
  replaces?: string;
  by: string;
  detail: Record<string, string>;
}

export const restoreRepository = { recordRestore, restored, hasReplaced };

const KEY = 'restored_at';

/** What was sent since `from` by others than this store may be missing in it. */
const FROM_KEY = 'restored_from';
/** A store whose namespace this one has taken: `replaces:<id>`. */
const REPLACES = 'replaces:';

/** The times and the audit entry, all or none. What an earlier restore may have lost stays so. */
async function recordRestore(db: Database, { at, from, by, replaces, detail }: RestoreRecord): Promise<void> {
  await inTransaction(db, async (transaction) => {
    const before = await restored(transaction);
    const entries = [
      { key: KEY, value: `${at}` },
      { key: FROM_KEY, value: `${Math.min(from, before?.from ?? from)}` },
      ...(replaces === undefined ? [] : [{ key: `${REPLACES}${replaces}`, value: `${at}` }]),
    ];
    for (const entry of entries) {
      await transaction
        .insertInto('meta')
        .values(entry)
        .onConflict((conflict) => conflict.column('key').doUpdateSet({ value: entry.value }))
        .execute();
    }
    const action = replaces === undefined ? 'restore' : 'take-namespace';
    await audit(transaction, { at, actor: by, action, subject: 'store', detail });
  });
}

/** Whether this store has taken the namespace of that one, by somebody's word that it is gone. */
async function hasReplaced(db: Database, storeId: string): Promise<boolean> {
  const row = await db.selectFrom('meta').select('key').where('key', '=', `${REPLACES}${storeId}`).executeTakeFirst();
  return row !== undefined;
}

/**
 * The last time this store was put in the place of another one: it may know less than was sent. Where the record does not say since
 * when, anything may be missing: a later time could take what was sent for absent.
 */
async function restored(db: Database): Promise<Restored | undefined> {
  const rows = await db.selectFrom('meta').selectAll().where('key', 'in', [KEY, FROM_KEY]).execute();
  const times = new Map(rows.map(({ key, value }) => [key, Number(value)]));
  const at = times.get(KEY);
  return at === undefined ? undefined : { at, from: times.get(FROM_KEY) ?? 0 };
}
