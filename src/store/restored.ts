import type { ResumptionReason } from '../domain/store-past.ts';
import { audit } from './audit-log.ts';
import type { Database } from './engine/database.ts';
import { metaValue, setMeta } from './engine/sql.ts';
import { inTransaction } from './engine/transaction.ts';
import { resumeFrom } from './past.ts';

/** Period (epoch ms) in which others may have sent what is missing in this store. */
interface Restored {
  from: number;
  at: number;
}

/** Who put this store in the place of another one; audited under the subject `store`. */
interface RestoreRecord extends Restored {
  /** Id of the store whose namespace this one takes; absent: this store was replaced by a copy. */
  replaces?: string;
  by: string;
  /** Why senders begin anew; absent: `restored`. */
  why?: ResumptionReason;
  detail: Record<string, string>;
}

const KEY = 'restored_at';

/** Start of the period in which others may have sent what is missing here. */
const FROM_KEY = 'restored_from';
/** Marks a store whose namespace this one took over: `replaces:<id>`. */
const REPLACES = 'replaces:';

/**
 * Stores the times and the audit entry, all or nothing. The period of an earlier restore stays included. Senders begin anew with
 * the store (`resumed`).
 */
export async function recordRestore(
  db: Database,
  { at, from, by, why = 'restored', replaces, detail }: RestoreRecord,
): Promise<void> {
  await inTransaction(db, async (transaction) => {
    const before = await restored(transaction);
    await setMeta(transaction, KEY, `${at}`);
    await setMeta(transaction, FROM_KEY, `${Math.min(from, before?.from ?? from)}`);
    await resumeFrom(transaction, { at, from: 0, why });
    if (replaces !== undefined) await setMeta(transaction, `${REPLACES}${replaces}`, `${at}`);
    const action = replaces === undefined ? 'restore' : 'take-namespace';
    await audit(transaction, { at, actor: by, action, subject: 'store', detail });
  });
}

/** Whether this store took over the namespace of that one because somebody said that it is gone. */
export async function hasReplaced(db: Database, storeId: string): Promise<boolean> {
  return (await metaValue(db, `${REPLACES}${storeId}`)) !== undefined;
}

/**
 * The last restore or take-over: the store may know less than was sent. If the start is not recorded, anything may be missing, as
 * a later start could make what was sent count as absent.
 */
export async function restored(db: Database): Promise<Restored | undefined> {
  const at = await metaValue(db, KEY);
  return at === undefined ? undefined : { at: Number(at), from: Number((await metaValue(db, FROM_KEY)) ?? 0) };
}
