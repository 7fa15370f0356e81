import type { ExpressionBuilder } from 'kysely';
import type { CardEvent, ShownSum } from '../domain/card-payment.ts';
import { audit } from './audit-log.ts';
import { ownerOfPayment } from './card-ids.ts';
import type { Database } from './engine/database.ts';
import { insertNew, met } from './engine/row-writes.ts';
import { inTransaction } from './engine/transaction.ts';
import type { CardEventEffect, StoredCardEvent, Tables } from './schema.ts';

export interface UndeliveredPage {
  /** Last event of the previous page. */
  after?: Pick<StoredCardEvent, 'receivedAt' | 'receiptId'>;
  /** Skip events whose payment was queried this often. */
  looksBelow?: number;
}

type EventKey = Pick<CardEvent, 'kind' | 'paymentId' | 'status'>;

/**
 * Says which intent a payment_id belongs to (the first owner stays) and then, in a statement of its own, returns the events known
 * for that payment; undefined when it is another intent's, whose business they are. The link is committed before the look: an
 * event stored in between has found the link by `ownerOfPayment`.
 */
export async function linkPayment(
  db: Database,
  paymentId: string,
  merchantRequestId: string,
  at: number,
): Promise<CardEvent[] | undefined> {
  await insertNew(db, 'cardPaymentIds', { paymentId, merchantRequestId, linkedAt: at });
  if ((await ownerOfPayment(db, paymentId)) !== merchantRequestId) return undefined;
  return db
    .selectFrom('cardEvents')
    .select(['kind', 'paymentId', 'status', 'trust', 'receivedAt', 'amount', 'currency'])
    .where('paymentId', '=', paymentId)
    .orderBy('receivedAt')
    .orderBy('receiptId')
    .execute();
}

/** Events without an effect, with an owning intent (`owned`) or without one; oldest first, one page. */
export async function undelivered(
  db: Database,
  owned: boolean,
  limit: number,
  { after, looksBelow }: UndeliveredPage = {},
): Promise<StoredCardEvent[]> {
  let query = withOwner(db)
    .where('cardEvents.effect', 'is', null)
    .where((row) => row.fn.coalesce(...OWNER), owned ? 'is not' : 'is', null)
    .orderBy('cardEvents.receivedAt')
    .orderBy('cardEvents.receiptId')
    .limit(limit);
  if (looksBelow !== undefined) query = query.where('cardEvents.looks', '<', looksBelow);
  if (after !== undefined) {
    query = query.where((row) =>
      row(
        row.refTuple('cardEvents.receivedAt', 'cardEvents.receiptId'),
        '>',
        row.tuple(after.receivedAt, after.receiptId),
      ),
    );
  }
  return (await query.execute()).map(storedCardEvent);
}

/** Oldest first. */
export async function eventsOf(db: Database, merchantRequestId: string): Promise<StoredCardEvent[]> {
  const payments = db
    .selectFrom('cardPaymentIds')
    .select('paymentId')
    .where('merchantRequestId', '=', merchantRequestId);
  const rows = await withOwner(db)
    .where((row) =>
      row.or([
        row('cardEvents.merchantRequestId', '=', merchantRequestId),
        row('cardEvents.paymentId', 'in', payments),
      ]),
    )
    .orderBy('cardEvents.receivedAt')
    .orderBy('cardEvents.receiptId')
    .execute();
  return rows.filter(({ owner }) => owner === merchantRequestId).map(storedCardEvent);
}

/**
 * The first effect stays, except that `delivered` may become `contradicts`. That also marks the payment, with an audit entry, so
 * that people learn what the acquirer says.
 */
export function recordEventEffect(
  db: Database,
  event: EventKey & ShownSum,
  { merchantRequestId, effect, at }: { merchantRequestId: string; effect: CardEventEffect; at: number },
): Promise<void> {
  return inTransaction(db, async (transaction) => {
    const settled = transaction
      .updateTable('cardEvents')
      .set({ effect, deliveredAt: at, merchantRequestId })
      .where(isEvent(event))
      .where((row) =>
        effect === 'contradicts'
          ? // It may have been delivered to a workflow that had just ended differently.
            row.or([row('effect', 'is', null), row('effect', '=', 'delivered')])
          : // If another sum was added meanwhile, the event has its effect again.
            row.and([row('effect', 'is', null), saysSum(event)(row)]),
      );
    if (!(await met(settled)) || effect !== 'contradicts') return;
    await transaction
      .updateTable('cardPayments')
      .set({ contradictedAt: at, updatedAt: at })
      .where('merchantRequestId', '=', merchantRequestId)
      .where('contradictedAt', 'is', null)
      .execute();
    await audit(transaction, {
      at,
      actor: 'acquirer',
      action: 'contradict card payment',
      subject: merchantRequestId,
      detail: { payment_id: event.paymentId, payment_status: event.status },
    });
  });
}

export async function countRetrieve(db: Database, event: EventKey): Promise<void> {
  await db
    .updateTable('cardEvents')
    .set((row) => ({ looks: row('looks', '+', 1) }))
    .where(isEvent(event))
    .execute();
}

export const isEvent =
  ({ kind, paymentId, status }: EventKey) =>
  (row: ExpressionBuilder<Tables, 'cardEvents'>) =>
    row.and({ kind, paymentId, status });

export const saysSum =
  ({ amount, currency }: ShownSum) =>
  (row: ExpressionBuilder<Tables, 'cardEvents'>) =>
    row.and([
      row('amount', 'is not distinct from', amount ?? null),
      row('currency', 'is not distinct from', currency ?? null),
    ]);

/** The link of a payment_id takes precedence over the id in the event. */
const OWNER = ['cardPaymentIds.merchantRequestId', 'cardEvents.merchantRequestId'] as const;

const withOwner = (db: Database) =>
  db
    .selectFrom('cardEvents')
    .leftJoin('cardPaymentIds', 'cardPaymentIds.paymentId', 'cardEvents.paymentId')
    .selectAll('cardEvents')
    .select((row) => row.fn.coalesce(...OWNER).as('owner'));

const storedCardEvent = ({ owner, ...event }: StoredCardEvent & { owner: string | null }): StoredCardEvent => ({
  ...event,
  merchantRequestId: owner,
});
