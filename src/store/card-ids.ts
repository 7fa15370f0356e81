import type { Database } from './engine/database.ts';
import { insertNew } from './engine/row-writes.ts';

// The intent that an id belongs to: a request id, a payment or 3DS session at the acquirer, a waiting payout.

/** Registers the `requestId` sent to the acquirer for this payment; idempotent. */
export async function addRequest(db: Database, requestId: string, merchantRequestId: string): Promise<void> {
  await insertNew(db, 'cardRequests', { requestId, merchantRequestId });
}

/** Owner of a request id on the wire. That of an intent is its own, whatever an older copy has forgotten of its requests. */
export async function ownerOfRequest(db: Database, requestId: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('cardRequests')
    .select('merchantRequestId')
    .where('requestId', '=', requestId)
    .union(db.selectFrom('cardPayments').select('merchantRequestId').where('merchantRequestId', '=', requestId))
    .executeTakeFirst();
  return row?.merchantRequestId;
}

/** Session ids are chosen by the acquirer and might equal a request id; the slash, which no request id has, keeps them apart. */
const sessionKey = (referenceId: string): string => `3ds/${referenceId}`;

/** Registers a 3DS session for this payment; idempotent. */
export function addSession(db: Database, referenceId: string, merchantRequestId: string): Promise<void> {
  return addRequest(db, sessionKey(referenceId), merchantRequestId);
}

export function ownerOfSession(db: Database, referenceId: string): Promise<string | undefined> {
  return ownerOfRequest(db, sessionKey(referenceId));
}

export async function ownerOfPayment(db: Database, paymentId: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('cardPaymentIds')
    .select('merchantRequestId')
    .where('paymentId', '=', paymentId)
    .executeTakeFirst();
  return row?.merchantRequestId;
}

/** In the order linked. */
export async function paymentsOf(db: Database, merchantRequestId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('cardPaymentIds')
    .select('paymentId')
    .where('merchantRequestId', '=', merchantRequestId)
    .orderBy('linkedAt')
    .orderBy('paymentId')
    .execute();
  return rows.map(({ paymentId }) => paymentId);
}

/** Registers a payout that waits for a card payment; idempotent. */
export async function addWaiter(db: Database, merchantRequestId: string, payoutWorkflowId: string): Promise<void> {
  await insertNew(db, 'cardWaiters', { merchantRequestId, payoutWorkflowId });
}

export async function waiters(db: Database, merchantRequestId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('cardWaiters')
    .select('payoutWorkflowId')
    .where('merchantRequestId', '=', merchantRequestId)
    .orderBy('payoutWorkflowId')
    .execute();
  return rows.map(({ payoutWorkflowId }) => payoutWorkflowId);
}
