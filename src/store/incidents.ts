import { hash } from 'node:crypto';
import type { OrderFacts } from '../domain/order-judgement.ts';
import { differenceText, type Incident, type ShownOrder, shownOrder } from '../domain/reconciliation.ts';
import { narrowed, type ReferenceSpelling } from '../domain/reference-form.ts';
import { audit } from './audit-log.ts';
import { json } from './engine/column-dialect.ts';
import type { Database } from './engine/database.ts';
import { inChunks, inTransaction, met, metaValue, setMeta } from './engine/database.ts';
import type { WatchKey } from './open-orders.ts';
import { announce } from './outbox.ts';
import type { IncidentRow, PayoutRecord } from './schema.ts';

/** What reconciliation compares in one pass over a list. */
export interface ReconciliationKey extends WatchKey {
  /** When the oldest of its payouts was created: none of their orders is older. */
  since: number;
}

/** With the uid, what the references of a payout derive from. */
type PayoutDocument = Pick<PayoutRecord, 'reference' | 'documentId' | 'generation'>;

/** Payouts of a user changed since `changedSince`. */
export async function documentsOf(db: Database, uid: string, changedSince: number): Promise<PayoutDocument[]> {
  return db
    .selectFrom('payouts')
    .select(['reference', 'documentId', 'generation'])
    .where('uid', '=', uid)
    .where('updatedAt', '>=', changedSince)
    .execute();
}

/** Keys of payouts changed since `changedSince`, by uid and currency, after `after`: of both currencies of an exchange. */
export async function reconciliationKeys(
  db: Database,
  changedSince: number,
  { after, limit }: { after: WatchKey | null; limit: number },
): Promise<ReconciliationKey[]> {
  const paid = db.selectFrom('payouts').select(['uid', 'currency', 'createdAt']).where('updatedAt', '>=', changedSince);
  const sold = db
    .selectFrom('payouts')
    .select(['uid', 'soldCurrency as currency', 'createdAt'])
    .where('updatedAt', '>=', changedSince)
    .where('soldCurrency', 'is not', null)
    .$narrowType<{ currency: string }>();
  let query = db
    .selectFrom(paid.unionAll(sold).as('listed'))
    .select(['uid', 'currency', (row) => row.fn.min('createdAt').as('since')]);
  if (after !== null) {
    query = query.where((row) => row(row.refTuple('uid', 'currency'), '>', row.tuple(after.uid, after.currency)));
  }
  return query.groupBy(['uid', 'currency']).orderBy('uid').orderBy('currency').limit(limit).execute();
}

/** Keys of the released rows of a batch, of both currencies of an exchange; unreleased rows have nothing at the bank. */
export async function batchKeys(db: Database, batchId: string): Promise<WatchKey[]> {
  const released = db.selectFrom('payouts').where('batchId', '=', batchId).where('releasedAt', 'is not', null);
  const sold = released.select(['uid', 'soldCurrency as currency']).where('soldCurrency', 'is not', null);
  return db
    .selectFrom(released.select(['uid', 'currency']).union(sold.$narrowType<{ currency: string }>()).as('listed'))
    .select(['uid', 'currency'])
    .orderBy('uid')
    .orderBy('currency')
    .execute();
}

const KEY = 'reference_spellings';

/** Spellings of references that explain all that the bank has shown; empty: there is none. Undefined: nothing was seen. */
export async function referenceSpellings(db: Database): Promise<readonly ReferenceSpelling[] | undefined> {
  const value = await metaValue(db, KEY);
  return value === undefined ? undefined : JSON.parse(value);
}

/** Keeps those that explain one more order too, and returns them. */
export function narrowReferenceSpellings(
  db: Database,
  shown: readonly ReferenceSpelling[],
): Promise<readonly ReferenceSpelling[]> {
  return inTransaction(db, async (transaction) => {
    const before = await referenceSpellings(transaction);
    const left = narrowed(before, shown);
    if (left.length !== before?.length) await setMeta(transaction, KEY, JSON.stringify(left));
    return left;
  });
}

/** A few of the references that were sent, for any payout, and begin so: all, if there are at most two. */
export async function referencesSentBeginning(db: Database, beginning: string): Promise<string[]> {
  const found = await db
    .selectFrom('sendAttempts')
    .select('reference')
    .distinct()
    // As a range, for the index. After a digit of a UUID comes another one, or a hyphen.
    .where('reference', '>=', beginning)
    .where('reference', '<', `${beginning}g`)
    .limit(3)
    .execute();
  return found.map(({ reference }) => reference);
}

export interface IncidentRecord extends Incident {
  /** Id for people to type. */
  id: string;
  seenAt: number;
  /** What the bank showed of its order; null: it could not be read. */
  order: ShownOrder | null;
  /** Null: not acknowledged. */
  acknowledged: Acknowledgement | null;
}

interface Acknowledgement {
  by: string;
  reason: string;
  at: number;
}

/** Short enough to type, and the same for the same incident: `inc-` and 48 bits of a digest. Stored, so never change it. */
function incidentId({ reference, orderId, kind, differs }: Incident): string {
  const value = differs === undefined ? [] : [differs.field, differs.shown];
  const digest = hash('sha256', JSON.stringify([reference, orderId, kind, ...value]));
  return `inc-${digest.slice(0, 12)}`;
}

/**
 * With an audit entry. `known`: recorded before for this order, reference, kind and shown value; `acknowledged`: and acknowledged
 * since.
 */
export function recordIncident(
  db: Database,
  { seenAt, order, ...incident }: Incident & { seenAt: number; order?: OrderFacts | undefined },
): Promise<'recorded' | 'known' | 'acknowledged'> {
  return inTransaction(db, async (transaction) => {
    const id = incidentId(incident);
    const { reference, orderId, kind, differs } = incident;
    const inserted = await transaction
      .insertInto('incidents')
      .values((row) => ({
        incidentId: id,
        reference,
        orderId,
        kind,
        ...differs,
        orderShown: order === undefined ? null : json(shownOrder(order)),
        uid: row.selectFrom('payouts').select('uid').where('payouts.reference', '=', reference),
        seenAt,
      }))
      .onConflict((conflict) => conflict.columns(['reference', 'orderId', 'kind', 'field', 'shown']).doNothing())
      .returning('uid')
      .executeTakeFirst();
    if (inserted === undefined) {
      return (await incidentWith(transaction, id))?.acknowledged == null ? 'known' : 'acknowledged';
    }
    const detail = { incident: id, kind, orderId, ...(differs !== undefined && { differs: differenceText(differs) }) };
    const { uid } = inserted;
    // Of money that came back there is an event already.
    if (kind !== 'returned')
      await announce(transaction, { kind: 'payout.incident', subject: reference, uid, at: seenAt });
    await audit(transaction, { at: seenAt, actor: 'bank', action: 'incident', subject: reference, detail });
    return 'recorded';
  });
}

/** Oldest first. */
export async function incidentsOf(db: Database, references: readonly string[]): Promise<IncidentRecord[]> {
  const query = db.selectFrom('incidents').selectAll();
  const found = await inChunks(references, (some) => query.where('reference', 'in', some).execute());
  return found.map(incidentRecord).sort((a, b) => a.seenAt - b.seenAt);
}

/** How many incidents of each batch nobody has acknowledged. */
export async function openIncidentsByBatch(db: Database): Promise<ReadonlyMap<string, number>> {
  const rows = await db
    .selectFrom('incidents')
    .innerJoin('payouts', 'payouts.reference', 'incidents.reference')
    .select(['payouts.batchId', ({ fn }) => fn.countAll<number>().as('count')])
    .where('acknowledgedAt', 'is', null)
    .where('payouts.batchId', 'is not', null)
    .groupBy('payouts.batchId')
    .execute();
  return new Map(rows.map(({ batchId, count }) => [batchId ?? '', count]));
}

/** Newest first, after `after` if given. `open`: only those not acknowledged. */
export async function incidents(
  db: Database,
  { open, limit, after }: { open: boolean; limit: number; after?: Pick<IncidentRecord, 'seenAt' | 'id'> },
): Promise<IncidentRecord[]> {
  const { seenAt = 0, id = '' } = after ?? {};
  const rows = await db
    .selectFrom('incidents')
    .selectAll()
    .$if(open, (query) => query.where('acknowledgedAt', 'is', null))
    .$if(after !== undefined, (query) =>
      query.where((row) =>
        row.or([row('seenAt', '<', seenAt), row.and([row('seenAt', '=', seenAt), row('incidentId', '>', id)])]),
      ),
    )
    .orderBy('seenAt', 'desc')
    .orderBy('incidentId')
    .limit(limit)
    .execute();
  return rows.map(incidentRecord);
}

/** With an audit entry. `isNew` false: acknowledged before, and the first person and reason stay. Undefined: no such id. */
export function acknowledgeIncident(
  db: Database,
  id: string,
  { by, reason, at }: Acknowledgement,
): Promise<{ incident: IncidentRecord; isNew: boolean } | undefined> {
  return inTransaction(db, async (transaction) => {
    const acknowledged = transaction
      .updateTable('incidents')
      .set({ acknowledgedBy: by, acknowledgedReason: reason, acknowledgedAt: at })
      .where('incidentId', '=', id)
      .where('acknowledgedAt', 'is', null);
    const isNew = await met(acknowledged);
    const incident = await incidentWith(transaction, id);
    if (incident === undefined) return undefined;
    if (isNew) {
      const { reference, orderId, kind } = incident;
      await audit(transaction, {
        at,
        actor: by,
        action: 'incident acknowledged',
        subject: reference,
        detail: { incident: id, kind, orderId, reason },
      });
    }
    return { incident, isNew };
  });
}

export async function incidentWith(db: Database, id: string): Promise<IncidentRecord | undefined> {
  const row = await db.selectFrom('incidents').selectAll().where('incidentId', '=', id).executeTakeFirst();
  return row === undefined ? undefined : incidentRecord(row);
}

function incidentRecord(row: IncidentRow): IncidentRecord {
  const { acknowledgedBy: by, acknowledgedReason: reason, acknowledgedAt: at } = row;
  return {
    id: row.incidentId,
    reference: row.reference,
    orderId: row.orderId,
    kind: row.kind,
    ...(row.field !== '' && { differs: { field: row.field, ours: row.ours, shown: row.shown } }),
    seenAt: row.seenAt,
    order: row.orderShown,
    acknowledged: by === null || reason === null || at === null ? null : { by, reason, at },
  };
}
