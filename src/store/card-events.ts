import type { ExpressionBuilder, Selectable } from 'kysely';
import type { CardEvent } from '../domain/card-payment.ts';
import { audit } from './audit.ts';
import { addPayment, ownerOfPayment } from './card-ids.ts';
import type { CardStore, StoredCardEvent, UndeliveredPage } from './card-store.ts';
import type { CardEventTable, Database, Tables } from './schema.ts';
import { inTransaction } from './transaction.ts';

type Settled = Parameters<CardStore['settleEvent']>[1];
type EventKey = Pick<CardEvent, 'kind' | 'paymentId' | 'status'>;

/** The link is committed before the look: an event stored in between has found the link by `ownerOfPayment`. */
export async function link(
  db: Database,
  paymentId: string,
  merchantRequestId: string,
  at: number,
): Promise<CardEvent[]> {
  await addPayment(db, paymentId, merchantRequestId, at);
  // Events of a payment that is somebody else's are none of this intent's business.
  if ((await ownerOfPayment(db, paymentId)) !== merchantRequestId) return [];
  const rows = await db
    .selectFrom('card_events')
    .selectAll()
    .where('payment_id', '=', paymentId)
    .orderBy('received_at')
    .orderBy('receipt_id')
    .execute();
  return rows.map(cardEvent);
}

/** Oldest first. */
export async function undelivered(
  db: Database,
  owned: boolean,
  limit: number,
  { after, looksBelow }: UndeliveredPage = {},
): Promise<StoredCardEvent[]> {
  let query = withOwner(db)
    .where('card_events.effect', 'is', null)
    .where((row) => row.fn.coalesce(...OWNER), owned ? 'is not' : 'is', null)
    .orderBy('card_events.received_at')
    .orderBy('card_events.receipt_id')
    .limit(limit);
  if (looksBelow !== undefined) query = query.where('card_events.looks', '<', looksBelow);
  if (after !== undefined) {
    query = query.where((row) =>
      row(
        row.refTuple('card_events.received_at', 'card_events.receipt_id'),
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
    .selectFrom('card_payment_ids')
    .select('payment_id')
    .where('merchant_request_id', '=', merchantRequestId);
  const rows = await withOwner(db)
    .where((row) =>
      row.or([
        row('card_events.merchant_request_id', '=', merchantRequestId),
        row('card_events.payment_id', 'in', payments),
      ]),
    )
    .orderBy('card_events.received_at')
    .orderBy('card_events.receipt_id')
    .execute();
  return rows.filter(({ owner }) => owner === merchantRequestId).map(storedCardEvent);
}

/** With an audit entry for a contradiction: people are told what the acquirer says. */
export function settleEvent(db: Database, event: EventKey, { merchantRequestId, effect, at }: Settled): Promise<void> {
  return inTransaction(db, async (transaction) => {
    const { numUpdatedRows } = await transaction
      .updateTable('card_events')
      .set({ effect, delivered_at: at, merchant_request_id: merchantRequestId })
      .where(isEvent(event))
      .where((row) =>
        row.or([
          row('effect', 'is', null),
          // Told to a workflow that had just ended by something else.
          ...(effect === 'contradicts' ? [row('effect', '=', 'delivered')] : []),
        ]),
      )
      .executeTakeFirstOrThrow();
    if (numUpdatedRows !== 1n || effect !== 'contradicts') return;
    await transaction
      .updateTable('card_payments')
      .set({ contradicted_at: at, updated_at: at })
      .where('merchant_request_id', '=', merchantRequestId)
      .where('contradicted_at', 'is', null)
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

export async function countLook(db: Database, event: EventKey): Promise<void> {
  await db
    .updateTable('card_events')
    .set((row) => ({ looks: row('looks', '+', 1) }))
    .where(isEvent(event))
    .execute();
}

const isEvent =
  ({ kind, paymentId, status }: EventKey) =>
  (row: ExpressionBuilder<Tables, 'card_events'>) =>
    row.and({ kind, payment_id: paymentId, status });

/** What a payment_id is linked to counts before what the event itself says. */
const OWNER = ['card_payment_ids.merchant_request_id', 'card_events.merchant_request_id'] as const;

const withOwner = (db: Database) =>
  db
    .selectFrom('card_events')
    .leftJoin('card_payment_ids', 'card_payment_ids.payment_id', 'card_events.payment_id')
    .selectAll('card_events')
    .select((row) => row.fn.coalesce(...OWNER).as('owner'));

const cardEvent = (row: Selectable<CardEventTable>): CardEvent => ({
  kind: row.kind,
  paymentId: row.payment_id,
  status: row.status,
  trust: row.trust,
  receivedAt: row.received_at,
});

const storedCardEvent = (row: Selectable<CardEventTable> & { owner: string | null }): StoredCardEvent => ({
  ...cardEvent(row),
  receiptId: row.receipt_id,
  merchantRequestId: row.owner,
  effect: row.effect,
  deliveredAt: row.delivered_at,
  looks: row.looks,
});
