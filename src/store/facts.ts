import { type Sum, unsigned } from '../domain/money.ts';
import { type CameBack, cameBackWith, isWhole, sameReturn, smaller } from '../domain/returned.ts';
import { audit } from './audit-log.ts';
import { json } from './engine/column-dialect.ts';
import { chunks, type Database, inChunks, insertNew, inTransaction } from './engine/database.ts';
import type { WatchKey } from './open-orders.ts';
import { announce } from './outbox.ts';
import type {
  AcceptedDifferenceRow,
  BookedExchange,
  PaidOrderRecord,
  ReturnRecord,
  ReturnSeen,
  UnaskedOrder,
} from './schema.ts';

/**
 * Records a return once, whichever of the bank's orders and its statement shows it first, with an audit entry. Returns the id under
 * which it is kept, and whether it is new.
 */
export function recordReturn(db: Database, seen: ReturnSeen): Promise<{ orderId: string; isNew: boolean }> {
  return inTransaction(db, async (transaction) => {
    const { reference, orderId, reasonCode = null, reasonText = null, shownBy = 'orders', seenAt: at } = seen;
    // Locks the row: two returns of one payout are added up one after the other.
    const row = await transaction
      .updateTable('payouts')
      .set(({ ref }) => ({ updatedAt: ref('updatedAt') }))
      .where('reference', '=', reference)
      .returning(['uid', 'amount', 'currency', 'cameBack'])
      .executeTakeFirst();
    const paid = await paidOf(transaction, reference, row ?? seen);
    const before = row?.cameBack?.currency === paid.currency ? row.cameBack : undefined;
    const same = await knownReturn(transaction, { ...seen, shownBy }, { paid, cameBack: before?.amount ?? '0' });
    if (same !== undefined) {
      const isOther = same.orderId !== orderId && same.otherId === null;
      const more = {
        ...(isOther && { otherId: orderId, amount: smaller(same.amount, seen.amount) }),
        ...(same.reasonCode === null && same.reasonText === null && { reasonCode, reasonText }),
      };
      if (Object.keys(more).length === 0) return { orderId: same.orderId, isNew: false };
      await transaction.updateTable('returns').set(more).where('orderId', '=', same.orderId).execute();
      const now = { ...same, ...more };
      await setCameBack(transaction, reference, cameBackWith(paid, before, now, before && same));
      return { orderId: same.orderId, isNew: false };
    }
    const entry = { ...seen, reasonCode, reasonText, shownBy, otherId: null };
    // Of another payout, under the same id.
    if ((await insertNew(transaction, 'returns', entry)) === 0) return { orderId, isNew: false };
    await announce(transaction, { kind: 'payout.returned', subject: reference, uid: row?.uid ?? null, at });
    const detail = { orderId };
    await audit(transaction, { at, actor: 'bank', action: 'money returned', subject: reference, detail });
    await setCameBack(transaction, reference, cameBackWith(paid, before, entry));
    return { orderId, isNew: true };
  });
}

type Seen = ReturnSeen & { shownBy: ReturnRecord['shownBy'] };

/** One payout may have thousands of returns: only those are read that this one may be. */
async function knownReturn(
  db: Database,
  { reference, orderId, amount, currency, shownBy }: Seen,
  about: Parameters<typeof sameReturn>[2],
): Promise<ReturnRecord | undefined> {
  const all = db.selectFrom('returns').selectAll();
  // By id alone: its index finds one row, where that of the payout finds all of it.
  const itself =
    (await all.where('orderId', '=', orderId).executeTakeFirst()) ??
    (await all.where('otherId', '=', orderId).executeTakeFirst());
  if (itself?.reference === reference) return itself;
  const free = all
    .where('reference', '=', reference)
    .where('currency', '=', currency)
    .where('shownBy', '=', shownBy === 'orders' ? 'statement' : 'orders')
    .where('otherId', 'is', null)
    .orderBy('seenAt')
    .orderBy('orderId');
  const written = unsigned(amount);
  for (const equal of [written, `-${written}`]) {
    const first = await free.where('amount', '=', equal).limit(1).executeTakeFirst();
    if (first !== undefined) return first;
  }
  return sameReturn({ amount, currency }, await free.execute(), about);
}

async function setCameBack(db: Database, reference: string, cameBack: CameBack | undefined): Promise<void> {
  const returnedAs = cameBack === undefined ? null : isWhole(cameBack) ? 'returned' : 'partly-returned';
  await db
    .updateTable('payouts')
    .set({ cameBack: cameBack === undefined ? null : json(cameBack), returnedAs })
    .where('reference', '=', reference)
    .execute();
}

/** What was paid by the bank's order, else what was asked for. */
async function paidOf(db: Database, reference: string, asked: Sum): Promise<Sum> {
  const [order] = await paidOrdersOf(db, [reference]);
  return { amount: order?.amount ?? asked.amount, currency: order?.currency ?? asked.currency };
}

/** Oldest first. */
export async function returnsOf(db: Database, references: readonly string[]): Promise<ReturnRecord[]> {
  const query = db.selectFrom('returns').selectAll().orderBy('orderId');
  const found = await inChunks(references, (some) => query.where('reference', 'in', some).execute());
  return found.sort((a, b) => a.seenAt - b.seenAt);
}

/** Keeps the first reading of a booked exchange; idempotent. */
export async function recordBookedExchange(db: Database, exchange: BookedExchange): Promise<void> {
  await insertNew(db, 'bookedExchanges', exchange);
}

/** Unordered. */
export function bookedExchangesOf(db: Database, references: readonly string[]): Promise<BookedExchange[]> {
  const query = db.selectFrom('bookedExchanges').selectAll();
  return inChunks(references, (some) => query.where('reference', 'in', some).execute());
}

/** Unordered. */
export function paidOrdersOf(db: Database, references: readonly string[]): Promise<PaidOrderRecord[]> {
  const query = db.selectFrom('paidOrders').selectAll();
  return inChunks(references, (some) => query.where('reference', 'in', some).execute());
}

/** Idempotent. */
export async function acceptDifferences(db: Database, accepted: readonly AcceptedDifferenceRow[]): Promise<void> {
  if (accepted.length > 0) await insertNew(db, 'acceptedDifferences', accepted);
}

/** Unordered. */
export function acceptedDifferencesOf(db: Database, references: readonly string[]): Promise<AcceptedDifferenceRow[]> {
  const query = db.selectFrom('acceptedDifferences').selectAll();
  return inChunks(references, (some) => query.where('reference', 'in', some).execute());
}

/** Records orders that this store did not send, or how they are shown now; returns how many were new. */
export async function recordUnaskedOrders(db: Database, entries: readonly UnaskedOrder[]): Promise<number> {
  const known = await inChunks(entries, (some) => unasked(db).where('orderId', 'in', orderIds(some)).execute());
  const before = new Set(known.map(({ orderId }) => orderId));
  for (const some of chunks(entries)) {
    await db
      .insertInto('unaskedOrders')
      .values(some.map(({ shown, ...entry }) => ({ ...entry, shown: json(shown) })))
      .onConflict((conflict) =>
        conflict.column('orderId').doUpdateSet((row) => ({
          clientOrderId: row.ref('excluded.clientOrderId'),
          stem: row.ref('excluded.stem'),
          shown: row.ref('excluded.shown'),
        })),
      )
      .execute();
  }
  return entries.filter(({ orderId }) => !before.has(orderId)).length;
}

const unasked = (db: Database) => db.selectFrom('unaskedOrders').select('orderId');
const orderIds = (entries: readonly UnaskedOrder[]) => entries.map(({ orderId }) => orderId);

/** Orders that this store did not send, whose reference begins like one of these (`ownStem`); unordered. */
export async function unaskedOrdersLike(db: Database, stems: readonly string[]): Promise<UnaskedOrder[]> {
  const query = db.selectFrom('unaskedOrders').selectAll();
  return inChunks(new Set(stems), (some) => query.where('stem', 'in', some).execute());
}

/** Those of a list that show no reference, or nothing that distinguishes one. */
export function unaskedOrdersWithoutReference(db: Database, { uid, currency }: WatchKey): Promise<UnaskedOrder[]> {
  const query = db.selectFrom('unaskedOrders').selectAll().where('stem', '=', '');
  return query.where('uid', '=', uid).where('currency', '=', currency).execute();
}

/** Those of a list, by id, after this one. */
export function unaskedOrdersAfter(
  db: Database,
  { uid, currency }: WatchKey,
  after: string,
  limit: number,
): Promise<UnaskedOrder[]> {
  const query = db.selectFrom('unaskedOrders').selectAll().where('uid', '=', uid).where('currency', '=', currency);
  return query.where('orderId', '>', after).orderBy('orderId').limit(limit).execute();
}

/** Whether any order that this store did not send shows a reference that may be ours. */
export async function hasUnaskedOrders(db: Database): Promise<boolean> {
  const query = db.selectFrom('unaskedOrders').select('orderId').where('stem', '>', '').limit(1);
  return (await query.executeTakeFirst()) !== undefined;
}

/** A booking further ahead than this came from a wrong clock and is ignored. */
const AHEAD_MAX_MS = 60_000;

/**
 * Books the next `lengthMs` of a call budget for one process, from `at` (epoch ms) or after the bookings of others. Returns when
 * the slice begins. One statement, so no two processes get the same slice.
 */
export async function bookCalls(
  db: Database,
  key: string,
  { at, lengthMs }: { at: number; lengthMs: number },
): Promise<number> {
  const { bookedUntil } = await db
    .insertInto('callBudgets')
    .values({ key, bookedUntil: at + lengthMs })
    .onConflict((conflict) =>
      conflict.column('key').doUpdateSet((row) => ({
        bookedUntil: row
          .case()
          .when(row.between('callBudgets.bookedUntil', at, at + AHEAD_MAX_MS))
          .then(row('callBudgets.bookedUntil', '+', lengthMs))
          .else(at + lengthMs)
          .end(),
      })),
    )
    .returning('bookedUntil')
    .executeTakeFirstOrThrow();
  return bookedUntil - lengthMs;
}
