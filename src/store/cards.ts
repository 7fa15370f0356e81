import type { Selectable } from 'kysely';
import { CARD_ENDS, isCardEnd } from '../domain/card-payment.ts';
import type { Reason } from '../domain/payout-state.ts';
import { audit } from './audit.ts';
import * as events from './card-events.ts';
import * as ids from './card-ids.ts';
import { CardInbox } from './card-inbox.ts';
import type { CardChange, CardClaim, CardClaimed, CardRecord, CardStore } from './card-store.ts';
import type { CardPaymentTable, Database } from './schema.ts';
import { inTransaction } from './transaction.ts';

export function createCardStore(db: Database): CardStore {
  const inbox = new CardInbox(db);
  return {
    claim: (claim) => claimCard(db, claim),
    get: (merchantRequestId) => card(db, merchantRequestId),
    find: (id) => findCard(db, id),
    list: (limit) => cards(db, limit),
    change: (merchantRequestId, change) => changeCard(db, merchantRequestId, change),

    addRequest: (requestId, merchantRequestId) => ids.addRequest(db, requestId, merchantRequestId),
    ownerOfRequest: (requestId) => ids.ownerOfRequest(db, requestId),
    ownerOfPayment: (paymentId) => ids.ownerOfPayment(db, paymentId),
    paymentsOf: (merchantRequestId) => ids.paymentsOf(db, merchantRequestId),
    addWaiter: (merchantRequestId, workflowId) => ids.addWaiter(db, merchantRequestId, workflowId),
    waiters: (merchantRequestId) => ids.waiters(db, merchantRequestId),

    link: (paymentId, merchantRequestId, at) => events.link(db, paymentId, merchantRequestId, at),
    receive: (event) => inbox.receive(event),
    undelivered: (owned, limit, page) => events.undelivered(db, owned, limit, page),
    eventsOf: (merchantRequestId) => events.eventsOf(db, merchantRequestId),
    settleEvent: (event, settled) => events.settleEvent(db, event, settled),
    confirmEnd: (merchantRequestId, word) => confirmEnd(db, merchantRequestId, word),
    countLook: (event) => events.countLook(db, event),
  };
}

/** Each step is one atomic statement and no row is ever deleted, so that together they need no transaction. */
async function claimCard(db: Database, claim: CardClaim): Promise<CardClaimed> {
  const row =
    (await insertNew(db, claim)) ?? (await takeOver(db, claim)) ?? (await stored(db, claim.merchantRequestId));
  const free = row.first_run_id === null || row.first_run_id === claim.runId;
  return {
    record: cardRecord(row),
    samePayload: row.digest === claim.digest,
    holder: free ? 'this-run' : 'other-run',
  };
}

type Row = Selectable<CardPaymentTable>;

function insertNew(db: Database, claim: CardClaim): Promise<Row | undefined> {
  return db
    .insertInto('card_payments')
    .values({
      merchant_request_id: claim.merchantRequestId,
      workflow_id: claim.workflowId,
      amount: claim.amount,
      currency: claim.currency,
      payment_type: claim.paymentType,
      digest: claim.digest,
      by: claim.by,
      client_secret_sha256: claim.clientSecretSha256,
      state: 'received',
      first_run_id: claim.runId,
      run_id: claim.runId,
      created_at: claim.at,
      updated_at: claim.at,
    })
    .onConflict((conflict) => conflict.doNothing())
    .returningAll()
    .executeTakeFirst();
}

/** A row whose payload differs is left alone: its claim belongs to the payment it was made for. */
function takeOver(db: Database, { merchantRequestId, digest, runId, clientSecretSha256, at }: CardClaim) {
  return db
    .updateTable('card_payments')
    .set(({ fn, val, ref }) => ({
      ...(runId !== undefined && { run_id: runId, first_run_id: fn.coalesce(ref('first_run_id'), val(runId)) }),
      client_secret_sha256: clientSecretSha256,
      updated_at: at,
    }))
    .where('merchant_request_id', '=', merchantRequestId)
    .where('digest', '=', digest)
    .returningAll()
    .executeTakeFirst();
}

const stored = (db: Database, merchantRequestId: string): Promise<Row> =>
  db
    .selectFrom('card_payments')
    .selectAll()
    .where('merchant_request_id', '=', merchantRequestId)
    .executeTakeFirstOrThrow();

async function card(db: Database, merchantRequestId: string): Promise<CardRecord | undefined> {
  const row = await db
    .selectFrom('card_payments')
    .selectAll()
    .where('merchant_request_id', '=', merchantRequestId)
    .executeTakeFirst();
  return row === undefined ? undefined : cardRecord(row);
}

async function findCard(db: Database, id: string): Promise<CardRecord | undefined> {
  const known = await card(db, id);
  if (known !== undefined) return known;
  const owner = (await ids.ownerOfPayment(db, id)) ?? (await ids.ownerOfRequest(db, id));
  return owner === undefined ? undefined : card(db, owner);
}

/** Newest first. */
async function cards(db: Database, limit: number): Promise<CardRecord[]> {
  const rows = await db
    .selectFrom('card_payments')
    .selectAll()
    .orderBy('created_at', 'desc')
    .orderBy('merchant_request_id', 'desc')
    .limit(limit)
    .execute();
  return rows.map(cardRecord);
}

async function changeCard(db: Database, merchantRequestId: string, change: CardChange): Promise<CardRecord> {
  const changed = await db
    .updateTable('card_payments')
    .set({
      state: change.state,
      reason: change.reason ? JSON.stringify(change.reason) : change.reason,
      payment_id: change.paymentId,
      bin: change.bin,
      last_four: change.lastFour,
      amount: change.amount,
      updated_at: change.at,
      ended_at: change.state !== undefined && isCardEnd(change.state) ? change.at : undefined,
    })
    .where('merchant_request_id', '=', merchantRequestId)
    .where('state', 'not in', CARD_ENDS)
    .returningAll()
    .executeTakeFirst();
  return cardRecord(changed ?? (await stored(db, merchantRequestId)));
}

function cardRecord(row: Row): CardRecord {
  return {
    merchantRequestId: row.merchant_request_id,
    workflowId: row.workflow_id,
    amount: row.amount,
    currency: row.currency,
    paymentType: row.payment_type,
    digest: row.digest,
    by: row.by,
    clientSecretSha256: row.client_secret_sha256,
    bin: row.bin,
    lastFour: row.last_four,
    state: row.state,
    reason: row.reason === null ? null : (JSON.parse(row.reason) as Reason),
    paymentId: row.payment_id,
    runId: row.run_id,
    contradictedAt: row.contradicted_at,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    endedAt: row.ended_at,
  };
}

function confirmEnd(
  db: Database,
  merchantRequestId: string,
  { by, evidence, at }: Parameters<CardStore['confirmEnd']>[1],
): Promise<boolean> {
  return inTransaction(db, async (transaction) => {
    const { numUpdatedRows } = await transaction
      .updateTable('card_payments')
      .set({ contradicted_at: null, updated_at: at })
      .where('merchant_request_id', '=', merchantRequestId)
      .where('contradicted_at', 'is not', null)
      .executeTakeFirstOrThrow();
    if (numUpdatedRows !== 1n) return false;
    const action = 'confirm end of card payment';
    await audit(transaction, { at, actor: by, action, subject: merchantRequestId, detail: { evidence } });
    return true;
  });
}
