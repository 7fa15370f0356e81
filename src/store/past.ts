import { sql } from 'kysely';
import type { Outages, SignOfLife } from '../domain/liveness.ts';
import { NEEDS_PEOPLE_STATES } from '../domain/payout-state.ts';
import type { ReasonCode } from '../domain/reasons.ts';
import type { ResumptionReason, SenderSeen } from '../domain/store-past.ts';
import { DAY_MS } from '../domain/time.ts';
import { audit } from './audit-log.ts';
import { json } from './engine/column-dialect.ts';
import { type Database, inChunks, inTransaction, met, metaValue, setMeta } from './engine/database.ts';
import type { WatchKey } from './open-orders.ts';
import type { ListLag, ListRead } from './schema.ts';

/**
 * What the store does not know by itself, in epoch ms of our clock: a read of the bank's lists counts only if it began at or after
 * `at`, and must reach back to `from` (0: the whole list).
 */
export interface Resumed {
  at: number;
  from: number;
}

/** That senders begin anew with a store; audited under the subject `store`. */
interface ResumptionRecord extends Resumed {
  why: ResumptionReason;
  detail: Record<string, string>;
}

/**
 * When senders last began anew. With `readSoFar`, the beginning (epoch ms) of an earlier read of a list that had reached as far back
 * as was then asked: `from` reaches back only for what was recorded after it. Without: for everything ever recorded.
 *
 * @returns undefined if no sender has opened this store yet
 */
export async function resumed(db: Database, readSoFar = -1): Promise<Resumed | undefined> {
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
    .where('at', '>', Math.min(readSoFar, last.at - 1))
    .executeTakeFirstOrThrow();
  // Before the first sender nothing was sent from the store that could be missing in it: any read of the whole list counts.
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
  // A wrong clock may have set earlier ones in the future, where no read would count for a long time, and reads, which always would.
  await transaction.updateTable('resumptions').set({ at }).where('at', '>', at).execute();
  await transaction.updateTable('listReads').set({ resumption: null }).where('resumption', '>', at).execute();
  await transaction.insertInto('resumptions').values({ at, since: from, why }).execute();
}

/** Longer than any process lives and any store rests. */
const KEPT_MS = 800 * DAY_MS;

/** Registers a process that may send, and forgets those of long ago. */
export async function registerSender(db: Database, sender: Omit<SenderSeen, 'endedAt'>): Promise<void> {
  await db
    .deleteFrom('senders')
    .where('aliveAt', '<', sender.aliveAt - KEPT_MS)
    .execute();
  await db
    .insertInto('senders')
    .values({ ...sender, endedAt: null })
    .execute();
}

/** Last seen first. */
export async function senders(db: Database): Promise<SenderSeen[]> {
  const rows = await db
    .selectFrom('senders')
    .selectAll()
    .orderBy('aliveAt', 'desc')
    .orderBy('pulses', 'desc')
    .execute();
  return rows.map(({ outages: _, ...sender }) => sender);
}

/** More workers than run at a time. */
const SIGNS_MAX = 200;

/** Of the senders seen last. */
export function signsOfLife(db: Database): Promise<SignOfLife[]> {
  const rows = db.selectFrom('senders').select(['aliveAt', 'endedAt', 'outages']);
  return rows.orderBy('aliveAt', 'desc').limit(SIGNS_MAX).execute();
}

/** How many payouts go on without people. */
export async function countMoving(db: Database): Promise<number> {
  const { count } = await db
    .selectFrom('payouts')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('endedAt', 'is', null)
    .where('state', 'not in', [...NEEDS_PEOPLE_STATES, 'scheduled'])
    .executeTakeFirstOrThrow();
  return count;
}

/** How many signs of life of a sender the store knows; undefined: it does not know the sender. */
export async function pulsesOf(db: Database, senderId: string): Promise<number | undefined> {
  const row = await db.selectFrom('senders').select('pulses').where('senderId', '=', senderId).executeTakeFirst();
  return row?.pulses;
}

interface Pulse extends Pick<SenderSeen, 'senderId' | 'pulses'> {
  at: number;
  ends?: boolean;
  outages?: Outages;
}

/**
 * Records a sign of life after `pulses` others, the last one if the process stops sending. False: the store does not know exactly
 * those.
 */
export function recordPulse(
  db: Database,
  { senderId, pulses, at, ends = false, outages = {} }: Pulse,
): Promise<boolean> {
  const shown = Object.keys(outages).length === 0 ? null : json(outages);
  const its = db.updateTable('senders').where('senderId', '=', senderId).where('pulses', '=', pulses);
  return met(its.set({ pulses: pulses + 1, aliveAt: at, endedAt: ends ? at : null, outages: shown }));
}

/** How much the store holds, and when a sender last gave a sign of life; null: none has. */
export async function extent(
  db: Database,
): Promise<{ batches: number; payouts: number; firstAt: number | null; usedAt: number | null }> {
  const count = (table: 'batches' | 'payouts') =>
    db
      .selectFrom(table)
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow();
  const { usedAt } = await db
    .selectFrom('senders')
    .select(({ fn }) => fn.max<number | null>('aliveAt').as('usedAt'))
    .executeTakeFirstOrThrow();
  const { firstAt } = await db
    .selectFrom('payouts')
    .select(({ fn }) => fn.min<number | null>('createdAt').as('firstAt'))
    .executeTakeFirstOrThrow();
  return { batches: (await count('batches')).count, payouts: (await count('payouts')).count, firstAt, usedAt };
}

/** Distinguishes this PostgreSQL database from its copies on the same server. */
export async function databaseMark(db: Database): Promise<{ name: string; mark: string }> {
  const { rows } = await sql<{ name: string; oid: string }>`
    select datname as name, oid::text as oid from pg_database where datname = current_database()`.execute(db);
  const { name, oid } = rows[0] ?? { name: '', oid: '' };
  return { name, mark: `database ${oid}` };
}

/** Records a read in the place of the previous one; `resumption` null leaves the recorded one. */
export async function recordListRead(db: Database, listRead: ListRead): Promise<void> {
  await db
    .insertInto('listReads')
    .values(listRead)
    .onConflict((conflict) =>
      conflict.columns(['uid', 'currency']).doUpdateSet((row) => ({
        beganAt: listRead.beganAt,
        reachesFrom: listRead.reachesFrom,
        resumption: row.fn.coalesce(row.val(listRead.resumption), 'listReads.resumption'),
      })),
    )
    .execute();
}

/** The last read of each of these lists; those never read are left out. */
export async function listReadsOf(db: Database, keys: readonly WatchKey[]): Promise<ListRead[]> {
  return inChunks(keys, (some) =>
    db
      .selectFrom('listReads')
      .selectAll()
      .where((row) =>
        row(
          row.refTuple('uid', 'currency'),
          'in',
          some.map(({ uid, currency }) => row.tuple(uid, currency)),
        ),
      )
      .execute(),
  );
}

/** Records how late an order came into a list, if none came later. */
export async function noteListLag(db: Database, lag: ListLag): Promise<void> {
  await db
    .insertInto('listLags')
    .values(lag)
    .onConflict((conflict) =>
      conflict.columns(['uid', 'currency']).doUpdateSet({ lagMs: lag.lagMs }).where('listLags.lagMs', '<', lag.lagMs),
    )
    .execute();
}

/** The longest that was seen of any list, ms; undefined: no order came late. */
export async function longestListLag(db: Database): Promise<number | undefined> {
  const { lagMs } = await db
    .selectFrom('listLags')
    .select(({ fn }) => fn.max<number | null>('lagMs').as('lagMs'))
    .executeTakeFirstOrThrow();
  return lagMs ?? undefined;
}

/** Enough orders to know whether a list is up to date. */
const ACCEPTED_MAX = 50;

/** `isClosed`: people have closed its row as not paid, whatever the bank showed of the order. */
export interface AcceptedOrder {
  reference: string;
  orderId: string;
  isClosed: boolean;
}

/**
 * Payments of a user and a currency that were sent between two times (epoch ms), and not again after them, that the bank has accepted
 * or has shown after their answers were lost, and that have no proven end: the last few of them. Those that are completed too, if they
 * were sent since `completedFrom`.
 */
export async function acceptedIn(
  db: Database,
  { uid, currency }: WatchKey,
  { from, to, completedFrom }: { from: number; to: number; completedFrom: number },
): Promise<AcceptedOrder[]> {
  const accepted = await db
    .selectFrom('sendAttempts')
    // In this order: SQLite would begin with all payouts of the user.
    .crossJoin('payouts')
    .select(['payouts.reference', 'payouts.state'])
    .select(({ fn }) => fn.coalesce('sendAttempts.orderId', 'payouts.orderId').as('orderId'))
    .whereRef('payouts.reference', '=', 'sendAttempts.reference')
    .where('sendAttempts.sentAt', '>=', from)
    .where('sendAttempts.sentAt', '<=', to)
    .where((row) => row.or([row('sendAttempts.outcome', '=', 'accepted'), row('payouts.orderId', 'is not', null)]))
    .where((row) =>
      row.or([
        row('payouts.state', 'in', ['processing', 'awaiting-bank-approval']),
        row('payouts.reasonCode', '=', sql.lit<ReasonCode>('closed-by-operator')),
        row.and([row('payouts.state', '=', 'completed'), row('sendAttempts.sentAt', '>=', completedFrom)]),
      ]),
    )
    .where('payouts.uid', '=', uid)
    .where('payouts.currency', '=', currency)
    .where('payouts.kind', '=', 'payout')
    // The order may be that of a later attempt, and is then as young as that.
    .where(({ exists, not, selectFrom }) =>
      not(
        exists(
          selectFrom('sendAttempts as later')
            .select('later.reference')
            .whereRef('later.reference', '=', 'payouts.reference')
            .where('later.sentAt', '>', to),
        ),
      ),
    )
    .orderBy('sendAttempts.sentAt', 'desc')
    .limit(ACCEPTED_MAX)
    .execute();
  return accepted.flatMap(({ reference, orderId, state }) =>
    orderId === null ? [] : [{ reference, orderId, isClosed: state === 'failed' }],
  );
}

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
