import { openOrderRecord } from './records.ts';
import type { Database } from './schema.ts';
import type { OpenOrder, OpenOrderRequest, Store, WatchKey } from './store.ts';

export async function closeOrder(db: Database, reference: string): Promise<void> {
  await db.deleteFrom('open_orders').where('reference', '=', reference).execute();
}

export async function openOrders(db: Database, { uid, currency }: WatchKey): Promise<OpenOrder[]> {
  const rows = await db
    .selectFrom('open_orders')
    .selectAll()
    .where('uid', '=', uid)
    .where('currency', '=', currency)
    .orderBy('opened_at')
    .orderBy('reference')
    .execute();
  return rows.map(openOrderRecord);
}

export async function noteOrder(
  db: Database,
  reference: string,
  note: Parameters<Store['noteOrder']>[1],
): Promise<void> {
  if (Object.values(note).every((value) => value === undefined)) return;
  await db
    .updateTable('open_orders')
    .set({ order_id: note.orderId, notified_status: note.notifiedStatus, next_look_at: note.nextLookAt })
    .where('reference', '=', reference)
    .execute();
}

export async function forgetNotice(db: Database, reference: string): Promise<void> {
  await db.updateTable('open_orders').set({ notified_status: null }).where('reference', '=', reference).execute();
}

export async function insertOpenOrder(db: Database, request: OpenOrderRequest, currency: string): Promise<void> {
  await db
    .insertInto('open_orders')
    .values({
      reference: request.reference,
      uid: request.uid,
      currency,
      workflow_id: request.workflowId,
      opened_at: request.since,
    })
    .onConflict((conflict) => conflict.columns(['reference', 'uid', 'currency']).doNothing())
    .execute();
}
