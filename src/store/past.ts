import type { ResumptionReason } from '../domain/store-past.ts';
import { audit } from './audit.ts';
import type { Database } from './engine/database.ts';
import { inTransaction } from './engine/transaction.ts';

/**
 * What the store does not know by itself, in epoch ms of our clock: a look at the bank's lists counts only if it began at or after
 * `at`, and must reach back to `from` (0: the whole list).
 */
export interface Resumed {
  at: number;
  from: number;
}

/** That senders begin anew with a store; audited under the subject `store`. */
export interface ResumptionRecord extends Resumed {
  why: ResumptionReason;
  detail: Record<string, string>;
}

/**
 * When senders last began anew. With `looked`, the beginning (epoch ms) of an earlier look at a list that had reached as far back
 * as was then asked: `from` reaches back only for what was recorded after it. Without: for everything ever recorded.
 *
 * @returns undefined if no sender has opened this store yet
 */
export async function resumed(db: Database, looked = -1): Promise<Resumed | undefined> {
  const last = await db
    .selectFrom('resumptions')
    .select(['at', 'since', 'why'])
    .orderBy('at', 'desc')
    .orderBy('since')
    .executeTakeFirst();
  if (last === undefined) return undefined;
  const { from } = await db
    .selectFrom('resumptions')
    .select(({ fn }) => fn.min<number>('since').as('from'))
    .where('at', '>', Math.min(looked, last.at - 1))
    .executeTakeFirstOrThrow();
  // Before the first sender nothing was sent from the store that could be missing in it: any look at the whole list counts.
  return { at: last.why === 'new' ? 0 : last.at, from };
}

/** Those since then (epoch ms), in their order. */
export async function resumptionsSince(db: Database, since: number): Promise<(Resumed & { why: ResumptionReason })[]> {
  const rows = await db.selectFrom('resumptions').selectAll().where('at', '>=', since).orderBy('at').execute();
  return rows.map(({ at, since: from, why }) => ({ at, from, why }));
}

/** Stores the resumption and its audit entry, all or nothing. */
export async function recordResumption(db: Database, { at, from, why, detail }: ResumptionRecord): Promise<void> {
  await inTransaction(db, async (transaction) => {
    await resumeFrom(transaction, { at, from, why });
    const explained = { why, from: new Date(from).toISOString(), ...detail };
    await audit(transaction, { at, actor: 'worker', action: 'resume', subject: 'store', detail: explained });
  });
}

/** For a transaction that writes an audit entry of its own. */
export async function resumeFrom(
  transaction: Database,
  { at, from, why }: Resumed & { why: ResumptionReason },
): Promise<void> {
  // A wrong clock may have set earlier ones in the future, where no look would count for a long time, and looks, which always would.
  await transaction.updateTable('resumptions').set({ at }).where('at', '>', at).execute();
  await transaction.updateTable('listLooks').set({ resumption: null }).where('resumption', '>', at).execute();
  await transaction.insertInto('resumptions').values({ at, since: from, why }).execute();
}
