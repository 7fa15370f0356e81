import { sql } from 'kysely';
import { CARD_ENDS, type CardState, isCardEnd } from '../domain/card-payment.ts';
import type { Reason } from '../domain/payout-state.ts';
import { audit } from './audit-log.ts';
import { ownerOfPayment, ownerOfRequest } from './card-ids.ts';
import type { Database } from './engine/database.ts';
import { json } from './engine/json-columns.ts';
import { met } from './engine/row-writes.ts';
import { inTransaction } from './engine/transaction.ts';
import type { CardRecord } from './schema.ts';

export type CardClaim = Pick<
  CardRecord,
  'merchantRequestId' | 'workflowId' | 'amount' | 'currency' | 'paymentType' | 'digest' | 'by'
> & {
  /** Absent: claimed by a channel, before the workflow runs. */
  runId?: string;
  clientSecretSha256?: string;
  /** Only its maker may repeat it: who does gets a new client secret, and the one before is void. */
  isMakersOwn?: boolean;
  at: number;
};

/** Whose payments somebody sees: those made by `by`, and those in `currencies`; undefined: all. */
export interface CardsSeenBy {
  by: string;
  currencies: readonly string[] | undefined;
}

export interface CardClaimed {
  record: CardRecord;
  /** False if the id exists with another digest or, where only the maker may repeat it, of another maker. */
  samePayload: boolean;
  /** `other-run`: another run held the claim and may have sent something. */
  holder: 'this-run' | 'other-run';
}

export interface CardChange {
  /** Absent: unchanged. */
  state?: CardState;
  reason?: Reason | null;
  paymentId?: string;
  bin?: string;
  lastFour?: string;
  amount?: string;
  currency?: string;
  at: number;
}

/**
 * Claims the id, or returns its record. A `runId` takes the claim over; a `clientSecretSha256` replaces the previous one. A
 * stored end never changes. Each step is one atomic statement and no row is ever deleted, so no transaction is needed.
 */
export async function claim(db: Database, { isMakersOwn = false, ...request }: CardClaim): Promise<CardClaimed> {
  const record =
    (await insertNew(db, request)) ??
    (await takeOver(db, request, isMakersOwn)) ??
    (await stored(db, request.merchantRequestId));
  const free = record.firstRunId === null || record.firstRunId === request.runId;
  return {
    record,
    samePayload: record.digest === request.digest && (!isMakersOwn || record.by === request.by),
    holder: free ? 'this-run' : 'other-run',
  };
}

function insertNew(db: Database, { at, ...request }: CardClaim): Promise<CardRecord | undefined> {
  return db
    .insertInto('cardPayments')
    .values({ ...request, state: 'received', firstRunId: request.runId, createdAt: at, updatedAt: at })
    .onConflict((conflict) => conflict.doNothing())
    .returningAll()
    .executeTakeFirst();
}

/** A row with another digest is not taken over: its claim belongs to another payment. */
function takeOver(
  db: Database,
  { merchantRequestId, digest, by, runId, clientSecretSha256, at }: CardClaim,
  isMakersOwn: boolean,
): Promise<CardRecord | undefined> {
  return db
    .updateTable('cardPayments')
    .set(({ fn, val, ref }) => ({
      ...(runId !== undefined && { runId, firstRunId: fn.coalesce(ref('firstRunId'), val(runId)) }),
      clientSecretSha256,
      updatedAt: at,
    }))
    .where('merchantRequestId', '=', merchantRequestId)
    .where('digest', '=', digest)
    .$if(isMakersOwn, (query) => query.where('by', 'is not distinct from', by))
    .returningAll()
    .executeTakeFirst();
}

const byId = (db: Database, merchantRequestId: string) =>
  db.selectFrom('cardPayments').selectAll().where('merchantRequestId', '=', merchantRequestId);

const stored = (db: Database, merchantRequestId: string): Promise<CardRecord> =>
  byId(db, merchantRequestId).executeTakeFirstOrThrow();

export async function get(db: Database, merchantRequestId: string): Promise<CardRecord | undefined> {
  return byId(db, merchantRequestId).executeTakeFirst();
}

/** By merchant_request_id, payment_id or request id. */
export async function find(db: Database, id: string): Promise<CardRecord | undefined> {
  const known = await get(db, id);
  if (known !== undefined) return known;
  const owner = (await ownerOfPayment(db, id)) ?? (await ownerOfRequest(db, id));
  return owner === undefined ? undefined : get(db, owner);
}

/** Newest first. */
export async function list(db: Database, limit: number, seenBy?: CardsSeenBy): Promise<CardRecord[]> {
  return db
    .selectFrom('cardPayments')
    .selectAll()
    .$if(seenBy?.currencies !== undefined, (query) =>
      query.where(({ eb, or }) => {
        const { by = '', currencies = [] } = seenBy ?? {};
        return or([eb('by', '=', by), ...currencies.map((currency) => eb('currency', '=', currency))]);
      }),
    )
    .orderBy('createdAt', 'desc')
    .orderBy('merchantRequestId', 'desc')
    .limit(limit)
    .execute();
}

/** Must match the condition of the index word for word, or SQLite does not use it. */
export const isForPeople = sql<boolean>`state = 'needs-operator' or contradicted_at is not null`;

/** Payments that need an operator or whose end the acquirer contradicts, all of them, longest unchanged first. */
export async function forPeople(db: Database): Promise<CardRecord[]> {
  return db.selectFrom('cardPayments').selectAll().where(isForPeople).orderBy('updatedAt').execute();
}

/**
 * Changes a record without an end; one with an end stays. Returns what is stored. Each column by its name: a change may come from
 * a workflow of anybody, with members that name others.
 */
export async function change(
  db: Database,
  merchantRequestId: string,
  { state, reason, paymentId, bin, lastFour, amount, currency, at }: CardChange,
): Promise<CardRecord> {
  const record = await db
    .updateTable('cardPayments')
    .set({
      ...{ state, paymentId, bin, lastFour, amount, currency },
      reason: json(reason),
      updatedAt: at,
      endedAt: state !== undefined && isCardEnd(state) ? at : undefined,
    })
    .where('merchantRequestId', '=', merchantRequestId)
    .where('state', 'not in', CARD_ENDS)
    .returningAll()
    .executeTakeFirst();
  return record ?? (await stored(db, merchantRequestId));
}

/** Clears a contradiction because people confirm the end; with an audit entry. False if there was none. */
export function confirmEnd(
  db: Database,
  merchantRequestId: string,
  { by, evidence, at }: { by: string; evidence: string; at: number },
): Promise<boolean> {
  return inTransaction(db, async (transaction) => {
    const confirmed = transaction
      .updateTable('cardPayments')
      .set({ contradictedAt: null, updatedAt: at })
      .where('merchantRequestId', '=', merchantRequestId)
      .where('contradictedAt', 'is not', null);
    if (!(await met(confirmed))) return false;
    const action = 'confirm end of card payment';
    await audit(transaction, { at, actor: by, action, subject: merchantRequestId, detail: { evidence } });
    return true;
  });
}
