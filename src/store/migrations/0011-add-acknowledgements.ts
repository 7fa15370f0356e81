import { type Kysely, sql } from 'kysely';
import type { IncidentKind } from '../../domain/reconciliation.ts';
import { incidentId } from '../incident-id.ts';

/** Tables on disk as of this migration. */
interface Tables {
  payouts: { reference: string; uid: string };
  incidents: { incident_id: string; reference: string; order_id: string; kind: IncidentKind; uid: string };
}

/** Acknowledgements of incidents, and indexes of the few rows that make a bank distrusted. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const column of ['incident_id', 'uid', 'acknowledged_by', 'acknowledged_reason']) {
    await db.schema.alterTable('incidents').addColumn(column, 'text').execute();
  }
  await db.schema.alterTable('incidents').addColumn('acknowledged_at', 'bigint').execute();
  await identifyThose(db as Kysely<Tables>);
  await db.schema.createIndex('incidents_id').unique().on('incidents').column('incident_id').execute();
  await db.schema.createIndex('incidents_seen').on('incidents').columns(['seen_at', 'incident_id']).execute();
  await db.schema
    .createIndex('incidents_second_orders')
    .on('incidents')
    .column('uid')
    .where(sql.ref('kind'), '=', sql.lit('second-order'))
    .where(sql.ref('acknowledged_at'), 'is', null)
    .execute();
  await db.schema
    .createIndex('payouts_duplicates')
    .on('payouts')
    .column('uid')
    .where(sql.ref('reason_code'), '=', sql.lit('duplicate-suspected'))
    .execute();
}

/** Gives earlier incidents an id and a user. */
async function identifyThose(db: Kysely<Tables>): Promise<void> {
  for (const { reference, order_id, kind } of await db
    .selectFrom('incidents')
    .select(['reference', 'order_id', 'kind'])
    .execute()) {
    await db
      .updateTable('incidents')
      .set((row) => ({
        incident_id: incidentId({ reference, orderId: order_id, kind }),
        uid: row.selectFrom('payouts').select('uid').where('payouts.reference', '=', reference),
      }))
      .where('reference', '=', reference)
      .where('order_id', '=', order_id)
      .where('kind', '=', kind)
      .execute();
  }
}
