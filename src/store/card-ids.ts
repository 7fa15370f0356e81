import type { Database } from './database.ts';

/** Which intent an id belongs to: of a request on the wire, of a payment or a session at the acquirer, of a payout that waits. */
export const cardIdRepository = {
  addRequest,
  ownerOfRequest,
  addSession,
  ownerOfSession,
  ownerOfPayment,
  paymentsOf,
  addWaiter,
  waiters,
};

/** Notes that `requestId` on the wire belongs to this payment; the same again changes nothing. */
async function addRequest(db: Database, requestId: string, merchantRequestId: string): Promise<void> {
  await db
    .insertInto('cardRequests')
    .values({ requestId, merchantRequestId })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
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

/** The acquirer names its 3-D Secure sessions, and may name one as a merchant names a payment; no id of a request has a slash. */
const sessionKey = (referenceId: string): string => `3ds/${referenceId}`;

/** Notes that a 3-D Secure session was made for this payment; the same again changes nothing. */
function addSession(db: Database, referenceId: string, merchantRequestId: string): Promise<void> {
  return addRequest(db, sessionKey(referenceId), merchantRequestId);
}

function ownerOfSession(db: Database, referenceId: string): Promise<string | undefined> {
  return ownerOfRequest(db, sessionKey(referenceId));
}

/** The first owner stays. */
export async function addPayment(
  db: Database,
  paymentId: string,
  merchantRequestId: string,
  at: number,
): Promise<void> {
  await db
    .insertInto('cardPaymentIds')
    .values({ paymentId, merchantRequestId, linkedAt: at })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

export async function ownerOfPayment(db: Database, paymentId: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('cardPaymentIds')
    .select('merchantRequestId')
    .where('paymentId', '=', paymentId)
    .executeTakeFirst();
  return row?.merchantRequestId;
}

/** In the order in which they were linked. */
async function paymentsOf(db: Database, merchantRequestId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('cardPaymentIds')
    .select('paymentId')
    .where('merchantRequestId', '=', merchantRequestId)
    .orderBy('linkedAt')
    .orderBy('paymentId')
    .execute();
  return rows.map(({ paymentId }) => paymentId);
}

/** A payout that waits for a card payment; the same again changes nothing. */
async function addWaiter(db: Database, merchantRequestId: string, payoutWorkflowId: string): Promise<void> {
  await db
    .insertInto('cardWaiters')
    .values({ merchantRequestId, payoutWorkflowId })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

async function waiters(db: Database, merchantRequestId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('cardWaiters')
    .select('payoutWorkflowId')
    .where('merchantRequestId', '=', merchantRequestId)
    .orderBy('payoutWorkflowId')
    .execute();
  return rows.map(({ payoutWorkflowId }) => payoutWorkflowId);
}
