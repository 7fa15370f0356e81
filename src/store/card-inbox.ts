import type { CardEvent } from '../domain/card-payment.ts';
import { combinedSum } from '../domain/card-payment.ts';
import { isEvent, saysSum } from './card-events.ts';
import type { Database } from './engine/database.ts';
import { LOCKS, write } from './engine/groups.ts';
import { insertNew, met } from './engine/row-writes.ts';

type ReceivedCardEvent = CardEvent & { receiptId: string; merchantRequestId: string | null };

/**
 * Stores an event durably before it resolves. `known`: the same receipt or the same event (kind, payment, status) is there
 * already and nothing was stored, except that a verified one takes the place of a hint or adds another sum to the one before, and
 * that a hint is taken again once the one before had its effect (`new`).
 */
export function receive(db: Database, event: ReceivedCardEvent): Promise<'new' | 'known'> {
  return write(db, LOCKS.itsRows, async (into) =>
    (await insert(into, event)) || (await takeAgain(into, event)) || (await takeSum(into, event)) ? 'new' : 'known',
  );
}

/** By its receipt and by its key. */
async function insert(
  db: Database,
  { kind, paymentId, status, trust, receiptId, merchantRequestId, receivedAt, amount, currency }: ReceivedCardEvent,
): Promise<boolean> {
  const key = { kind, paymentId, status };
  const row = { ...key, trust, receiptId, merchantRequestId, receivedAt, amount, currency, looks: 0 };
  return (await insertNew(db, 'cardEvents', row)) > 0;
}

/**
 * Takes a known event again, so that it has its effect again: a `hint` that is now verified, or a repeated one whose earlier
 * effect may be out of date.
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
    .where(isEvent(event))
    .where('trust', '=', 'hint');
  if (event.trust === 'verified') {
    query = query
      .set({ receiptId: event.receiptId, merchantRequestId: event.merchantRequestId })
      .where((row) => row.not(row.exists(sameReceipt)));
  } else {
    // Without an effect so far, it will still be looked at anyway.
    query = query.where('effect', 'is not', null).where('receivedAt', '<', event.receivedAt);
  }
  return met(query);
}

/** Adds the sum of a verified event that is known with another one or with none, so that it has its effect again. */
async function takeSum(db: Database, event: ReceivedCardEvent): Promise<boolean> {
  if (event.trust === 'hint') return false;
  for (;;) {
    const stored = db.selectFrom('cardEvents').select(['amount', 'currency']).where(isEvent(event));
    const known = await stored.where('trust', '=', 'verified').executeTakeFirst();
    const sum = known && combinedSum(known, event);
    if (known === undefined || sum === undefined) return false;
    const taken = db
      .updateTable('cardEvents')
      .set({ ...sum, receivedAt: event.receivedAt, effect: null, deliveredAt: null, looks: 0 })
      .where(isEvent(event))
      .where(saysSum(known));
    if (await met(taken)) return true;
  }
}
