import type { Database } from './schema.ts';

/** Which intent an id belongs to: of a request on the wire, of a payment at the acquirer, of a payout that waits. */

export async function addRequest(db: Database, requestId: string, merchantRequestId: string): Promise<void> {
  await db
    .insertInto('card_requests')
    .values({ request_id: requestId, merchant_request_id: merchantRequestId })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

export async function ownerOfRequest(db: Database, requestId: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('card_requests')
    .select('merchant_request_id')
    .where('request_id', '=', requestId)
    .executeTakeFirst();
  return row?.merchant_request_id;
}

/** The first owner stays. */
export async function addPayment(
  db: Database,
  paymentId: string,
  merchantRequestId: string,
  at: number,
): Promise<void> {
  await db
    .insertInto('card_payment_ids')
    .values({ payment_id: paymentId, merchant_request_id: merchantRequestId, linked_at: at })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

export async function ownerOfPayment(db: Database, paymentId: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('card_payment_ids')
    .select('merchant_request_id')
    .where('payment_id', '=', paymentId)
    .executeTakeFirst();
  return row?.merchant_request_id;
}

/** In the order in which they were linked. */
export async function paymentsOf(db: Database, merchantRequestId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('card_payment_ids')
    .select('payment_id')
    .where('merchant_request_id', '=', merchantRequestId)
    .orderBy('linked_at')
    .orderBy('payment_id')
    .execute();
  return rows.map(({ payment_id }) => payment_id);
}

export async function addWaiter(db: Database, merchantRequestId: string, payoutWorkflowId: string): Promise<void> {
  await db
    .insertInto('card_waiters')
    .values({ merchant_request_id: merchantRequestId, payout_workflow_id: payoutWorkflowId })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

export async function waiters(db: Database, merchantRequestId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('card_waiters')
    .select('payout_workflow_id')
    .where('merchant_request_id', '=', merchantRequestId)
    .orderBy('payout_workflow_id')
    .execute();
  return rows.map(({ payout_workflow_id }) => payout_workflow_id);
}
