import { hash } from 'node:crypto';
import { differenceText } from '../domain/changed-order.ts';
import type { Incident } from '../domain/reconciliation.ts';
import { audit } from './audit.ts';
import { inChunks } from './engine/chunks.ts';
import type { Database } from './engine/database.ts';
import { met } from './engine/row-writes.ts';
import { inTransaction } from './engine/transaction.ts';
import { announce } from './outbox.ts';
import type { IncidentRow } from './schema.ts';

export interface IncidentRecord extends Incident {
  /** Id for people to type. */
  id: string;
  seenAt: number;
  /** Null: not acknowledged. */
  acknowledged: Acknowledgement | null;
}

export interface Acknowledgement {
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
  { seenAt, ...incident }: Incident & { seenAt: number },
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
    acknowledged: by === null || reason === null || at === null ? null : { by, reason, at },
  };
}
