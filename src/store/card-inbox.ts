import type { CardEvent } from '../domain/card-payment.ts';
import type { Database } from './database.ts';
import { LOCKS, write } from './write-groups.ts';

export const cardInboxRepository = { receive };

type ReceivedCardEvent = CardEvent & { receiptId: string; merchantRequestId: string | null };

/**
 * Stores an event durably before it resolves. `known`: the same receipt or the same event (kind, payment, status) is there
 * already and nothing was stored, except that a verified one takes the place of a hint, and that a hint is taken again once
 * the one before had its effect (`new`).
 */
function receive(db: Database, event: ReceivedCardEvent): Promise<'new' | 'known'> {
  return write(db, LOCKS.itsRows, async (into) =>
    (await insert(into, event)) || (await takeAgain(into, event)) ? 'new' : 'known',
  );
}

async function insert(
  db: Database,
  { kind, paymentId, status, trust, receiptId, merchantRequestId, receivedAt, amount, currency }: ReceivedCardEvent,
): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('cardEvents')
    .values({
      kind,
      paymentId,
      status,
      trust,
      receiptId,
      merchantRequestId,
      receivedAt,
      amount: amount ?? null,
      currency: currency ?? null,
      looks: 0,
    })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirstOrThrow();
  return numInsertedOrUpdatedRows === 1n;
}

/**
 * Takes a known event again, so that it has its effect again: a `hint` that is now verified, or a repeated one whose earlier effect
 * may be out of date.
 */
async function takeAgain(db: Database, event: ReceivedCardEvent): Promise<boolean> {
  const sameReceipt = db.selectFrom('cardEvents').select('receiptId').where('receiptId', '=', event.receiptId);
  let query = db
    .updateTable('cardEvents')
    .set({
      trust: event.trust,
      receivedAt: event.receivedAt,
      amount: event.amount ?? null,
      currency: event.currency ?? null,
      effect: null,
      deliveredAt: null,
      looks: 0,
    })
    .where((row) => row.and({ kind: event.kind, paymentId: event.paymentId, status: event.status }))
    .where('trust', '=', 'hint');
  if (event.trust === 'verified') {
    query = query
      .set({ receiptId: event.receiptId, merchantRequestId: event.merchantRequestId })
      .where((row) => row.not(row.exists(sameReceipt)));
  } else {
    // Without an effect so far, it will still be looked at anyway.
    query = query.where('effect', 'is not', null).where('receivedAt', '<', event.receivedAt);
  }
  const { numUpdatedRows } = await query.executeTakeFirstOrThrow();
  return numUpdatedRows === 1n;
}
