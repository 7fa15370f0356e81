import type { Selectable } from 'kysely';
import type { Incident } from '../domain/reconciliation.ts';
import { audit } from './audit.ts';
import { chunks } from './chunks.ts';
import { incidentId } from './incident-id.ts';
import type { Database, IncidentTable } from './schema.ts';
import type { Store } from './store.ts';
import { inTransaction } from './transaction.ts';

export interface IncidentRecord extends Incident {
  /** For people to type. */
  id: string;
  seenAt: number;
  /** Null: nobody has seen to it. */
  acknowledged: Acknowledgement | null;
}

export interface Acknowledgement {
  by: string;
  reason: string;
  at: number;
}

export async function recordIncident(
  db: Database,
  { seenAt, ...incident }: Parameters<Store['recordIncident']>[0],
): Promise<'recorded' | 'known' | 'acknowledged'> {
  const id = incidentId(incident);
  const { reference, orderId, kind } = incident;
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('incidents')
    .values((row) => ({
      incident_id: id,
      reference,
      order_id: orderId,
      kind,
      uid: row.selectFrom('payouts').select('uid').where('payouts.reference', '=', reference),
      seen_at: seenAt,
    }))
    .onConflict((conflict) => conflict.columns(['reference', 'order_id', 'kind']).doNothing())
    .executeTakeFirstOrThrow();
  if (numInsertedOrUpdatedRows === 1n) return 'recorded';
  return (await incidentWith(db, id))?.acknowledged == null ? 'known' : 'acknowledged';
}

/** Oldest first. */
export async function incidentsOf(db: Database, references: readonly string[]): Promise<IncidentRecord[]> {
  const found: IncidentRecord[] = [];
  for (const some of chunks(references)) {
    const rows = await db.selectFrom('incidents').selectAll().where('reference', 'in', some).execute();
    found.push(...rows.map(incidentRecord));
  }
  return found.sort((a, b) => a.seenAt - b.seenAt);
}

/** Newest first. */
export async function incidents(
  db: Database,
  { open, limit }: { open: boolean; limit: number },
): Promise<IncidentRecord[]> {
  const rows = await db
    .selectFrom('incidents')
    .selectAll()
    .$if(open, (query) => query.where('acknowledged_at', 'is', null))
    .orderBy('seen_at', 'desc')
    .orderBy('incident_id')
    .limit(limit)
    .execute();
  return rows.map(incidentRecord);
}

/** With an audit entry. Who was first, and why, stays. */
export function acknowledgeIncident(
  db: Database,
  id: string,
  { by, reason, at }: Acknowledgement,
): Promise<{ incident: IncidentRecord; isNew: boolean } | undefined> {
  return inTransaction(db, async (transaction) => {
    const { numUpdatedRows } = await transaction
      .updateTable('incidents')
      .set({ acknowledged_by: by, acknowledged_reason: reason, acknowledged_at: at })
      .where('incident_id', '=', id)
      .where('acknowledged_at', 'is', null)
      .executeTakeFirstOrThrow();
    const incident = await incidentWith(transaction, id);
    if (incident === undefined) return undefined;
    const isNew = numUpdatedRows === 1n;
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

async function incidentWith(db: Database, id: string): Promise<IncidentRecord | undefined> {
  const row = await db.selectFrom('incidents').selectAll().where('incident_id', '=', id).executeTakeFirst();
  return row === undefined ? undefined : incidentRecord(row);
}

function incidentRecord(row: Selectable<IncidentTable>): IncidentRecord {
  const { acknowledged_by: by, acknowledged_reason: reason, acknowledged_at: at } = row;
  return {
    id: row.incident_id,
    reference: row.reference,
    orderId: row.order_id,
    kind: row.kind,
    seenAt: row.seen_at,
    acknowledged: by === null || reason === null || at === null ? null : { by, reason, at },
  };
}
