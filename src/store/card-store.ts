import { type ExpressionBuilder, sql } from 'kysely';
import {
  CARD_ENDS,
  type CardEvent,
  type CardState,
  combinedSum,
  isCardEnd,
  type ShownSum,
} from '../domain/card-payment.ts';
import type { Reason } from '../domain/payout-state.ts';
import { audit } from './audit-log.ts';
import { json } from './engine/column-dialect.ts';
import { type Database, insertNew, inTransaction, met, type Repository } from './engine/database.ts';
import { LOCKS, write } from './engine/groups.ts';
import type { CardEventEffect, CardRecord, StoredCardEvent, Tables } from './schema.ts';

export type { CardEventEffect, CardRecord, StoredCardEvent } from './schema.ts';

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
async function claim(db: Database, { isMakersOwn = false, ...request }: CardClaim): Promise<CardClaimed> {
  const record =
    (await insertClaim(db, request)) ??
    (await takeCardOver(db, request, isMakersOwn)) ??
    (await stored(db, request.merchantRequestId));
  const free = record.firstRunId === null || record.firstRunId === request.runId;
  return {
    record,
    samePayload: record.digest === request.digest && (!isMakersOwn || record.by === request.by),
    holder: free ? 'this-run' : 'other-run',
  };
}

function insertClaim(db: Database, { at, ...request }: CardClaim): Promise<CardRecord | undefined> {
  return db
    .insertInto('cardPayments')
    .values({ ...request, state: 'received', firstRunId: request.runId, createdAt: at, updatedAt: at })
    .onConflict((conflict) => conflict.doNothing())
    .returningAll()
    .executeTakeFirst();
}

/** A row with another digest is not taken over: its claim belongs to another payment. */
function takeCardOver(
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

async function get(db: Database, merchantRequestId: string): Promise<CardRecord | undefined> {
  return byId(db, merchantRequestId).executeTakeFirst();
}

/** By merchant_request_id, payment_id or request id. */
async function find(db: Database, id: string): Promise<CardRecord | undefined> {
  const known = await get(db, id);
  if (known !== undefined) return known;
  const owner = (await ownerOfPayment(db, id)) ?? (await ownerOfRequest(db, id));
  return owner === undefined ? undefined : get(db, owner);
}

/** Newest first. */
async function list(db: Database, limit: number, seenBy?: CardsSeenBy): Promise<CardRecord[]> {
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
async function forPeople(db: Database): Promise<CardRecord[]> {
  return db.selectFrom('cardPayments').selectAll().where(isForPeople).orderBy('updatedAt').execute();
}

/**
 * Changes a record without an end; one with an end stays. Returns what is stored. Each column by its name: a change may come from
 * a workflow of anybody, with members that name others.
 */
async function change(
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
function confirmEnd(
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

// The intent that an id belongs to: a request id, a payment or 3DS session at the acquirer, a waiting payout.

/** Registers the `requestId` sent to the acquirer for this payment; idempotent. */
async function addRequest(db: Database, requestId: string, merchantRequestId: string): Promise<void> {
  await insertNew(db, 'cardRequests', { requestId, merchantRequestId });
}

/** Owner of a request id on the wire. That of an intent is its own, even if an older copy has forgotten its requests. */
async function ownerOfRequest(db: Database, requestId: string): Promise<string | undefined> {
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
function addSession(db: Database, referenceId: string, merchantRequestId: string): Promise<void> {
  return addRequest(db, sessionKey(referenceId), merchantRequestId);
}

function ownerOfSession(db: Database, referenceId: string): Promise<string | undefined> {
  return ownerOfRequest(db, sessionKey(referenceId));
}

async function ownerOfPayment(db: Database, paymentId: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('cardPaymentIds')
    .select('merchantRequestId')
    .where('paymentId', '=', paymentId)
    .executeTakeFirst();
  return row?.merchantRequestId;
}

/** In the order linked. */
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

/** Registers a payout that waits for a card payment; idempotent. */
async function addWaiter(db: Database, merchantRequestId: string, payoutWorkflowId: string): Promise<void> {
  await insertNew(db, 'cardWaiters', { merchantRequestId, payoutWorkflowId });
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

interface UndeliveredPage {
  /** Last event of the previous page. */
  after?: StoredCardEvent;
  /** Skip events whose payment was queried this often. */
  readsBelow?: number;
}

type EventKey = Pick<CardEvent, 'kind' | 'paymentId' | 'status'>;

/**
 * Says which intent a payment_id belongs to (the first owner stays) and then, in a statement of its own, returns the events known
 * for that payment; undefined when it is another intent's, whose business they are. The link is committed before the read: an
 * event stored in between has found the link by `ownerOfPayment`.
 */
async function linkPayment(
  db: Database,
  paymentId: string,
  merchantRequestId: string,
  at: number,
): Promise<CardEvent[] | undefined> {
  await insertNew(db, 'cardPaymentIds', { paymentId, merchantRequestId, linkedAt: at });
  if ((await ownerOfPayment(db, paymentId)) !== merchantRequestId) return undefined;
  return db
    .selectFrom('cardEvents')
    .select(['kind', 'paymentId', 'status', 'trust', 'receivedAt', 'amount', 'currency'])
    .where('paymentId', '=', paymentId)
    .orderBy('receivedAt')
    .orderBy('receiptId')
    .execute();
}

/** Events without an effect, with an owning intent (`owned`) or without one; oldest first, one page. */
async function undelivered(
  db: Database,
  owned: boolean,
  limit: number,
  { after, readsBelow }: UndeliveredPage = {},
): Promise<StoredCardEvent[]> {
  let query = withOwner(db)
    .where('cardEvents.effect', 'is', null)
    .where((row) => row.fn.coalesce(...OWNER), owned ? 'is not' : 'is', null)
    .orderBy('cardEvents.receivedAt')
    .orderBy('cardEvents.receiptId')
    .limit(limit);
  if (readsBelow !== undefined) query = query.where('cardEvents.reads', '<', readsBelow);
  if (after !== undefined) {
    query = query.where((row) =>
      row(
        row.refTuple('cardEvents.receivedAt', 'cardEvents.receiptId'),
        '>',
        row.tuple(after.receivedAt, after.receiptId),
      ),
    );
  }
  return (await query.execute()).map(storedCardEvent);
}

/** Oldest first. */
async function eventsOf(db: Database, merchantRequestId: string): Promise<StoredCardEvent[]> {
  const payments = db
    .selectFrom('cardPaymentIds')
    .select('paymentId')
    .where('merchantRequestId', '=', merchantRequestId);
  const rows = await withOwner(db)
    .where((row) =>
      row.or([
        row('cardEvents.merchantRequestId', '=', merchantRequestId),
        row('cardEvents.paymentId', 'in', payments),
      ]),
    )
    .orderBy('cardEvents.receivedAt')
    .orderBy('cardEvents.receiptId')
    .execute();
  return rows.filter(({ owner }) => owner === merchantRequestId).map(storedCardEvent);
}

/**
 * The first effect stays, except that `delivered` may become `contradicts`. That also marks the payment, with an audit entry, so
 * that people learn what the acquirer says.
 */
function recordEventEffect(
  db: Database,
  event: EventKey & ShownSum,
  { merchantRequestId, effect, at }: { merchantRequestId: string; effect: CardEventEffect; at: number },
): Promise<void> {
  return inTransaction(db, async (transaction) => {
    const resolved = transaction
      .updateTable('cardEvents')
      .set({ effect, deliveredAt: at, merchantRequestId })
      .where(isEvent(event))
      .where((row) =>
        effect === 'contradicts'
          ? // It may have been delivered to a workflow that had just ended differently.
            row.or([row('effect', 'is', null), row('effect', '=', 'delivered')])
          : // If another sum was added meanwhile, the event has its effect again.
            row.and([row('effect', 'is', null), saysSum(event)(row)]),
      );
    if (!(await met(resolved)) || effect !== 'contradicts') return;
    await transaction
      .updateTable('cardPayments')
      .set({ contradictedAt: at, updatedAt: at })
      .where('merchantRequestId', '=', merchantRequestId)
      .where('contradictedAt', 'is', null)
      .execute();
    await audit(transaction, {
      at,
      actor: 'acquirer',
      action: 'contradict card payment',
      subject: merchantRequestId,
      detail: { payment_id: event.paymentId, payment_status: event.status },
    });
  });
}

async function countRetrieve(db: Database, event: EventKey): Promise<void> {
  await db
    .updateTable('cardEvents')
    .set((row) => ({ reads: row('reads', '+', 1) }))
    .where(isEvent(event))
    .execute();
}

const isEvent =
  ({ kind, paymentId, status }: EventKey) =>
  (row: ExpressionBuilder<Tables, 'cardEvents'>) =>
    row.and({ kind, paymentId, status });

const saysSum =
  ({ amount, currency }: ShownSum) =>
  (row: ExpressionBuilder<Tables, 'cardEvents'>) =>
    row.and([
      row('amount', 'is not distinct from', amount ?? null),
      row('currency', 'is not distinct from', currency ?? null),
    ]);

/** The link of a payment_id takes precedence over the id in the event. */
const OWNER = ['cardPaymentIds.merchantRequestId', 'cardEvents.merchantRequestId'] as const;

const withOwner = (db: Database) =>
  db
    .selectFrom('cardEvents')
    .leftJoin('cardPaymentIds', 'cardPaymentIds.paymentId', 'cardEvents.paymentId')
    .selectAll('cardEvents')
    .select((row) => row.fn.coalesce(...OWNER).as('owner'));

const storedCardEvent = ({ owner, ...event }: StoredCardEvent & { owner: string | null }): StoredCardEvent => ({
  ...event,
  merchantRequestId: owner,
});

type ReceivedCardEvent = CardEvent & { receiptId: string; merchantRequestId: string | null };

/**
 * Stores an event durably before it resolves. `known`: the same receipt or the same event (kind, payment, status) is there
 * already and nothing was stored, except that a verified one takes the place of a hint or adds another sum to the one before, and
 * that a hint is taken again once the one before had its effect (`new`).
 */
function receive(db: Database, event: ReceivedCardEvent): Promise<'new' | 'known'> {
  return write(db, LOCKS.itsRows, async (into) =>
    (await insert(into, event)) || (await takeAgain(into, event)) || (await takeSum(into, event)) ? 'new' : 'known',
  );
}

/** By its receipt and by its key. */
async function insert(
  db: Database,
  { kind, paymentId, status, trust, receiptId, merchantRequestId, receivedAt, amount, currency }: ReceivedCardEvent,
): Promise<boolean> {
  const key = { kind, paymentId, status };
  const row = { ...key, trust, receiptId, merchantRequestId, receivedAt, amount, currency, reads: 0 };
  return (await insertNew(db, 'cardEvents', row)) > 0;
}

/**
 * Takes a known event again, so that it has its effect again: a `hint` that is now verified, or a repeated one whose earlier
 * effect may be out of date.
 */
async function takeAgain(db: Database, event: ReceivedCardEvent): Promise<boolean> {
  const sameReceipt = db.selectFrom('cardEvents').select('receiptId').where('receiptId', '=', event.receiptId);
  let query = db
    .updateTable('cardEvents')
    .set({
      trust: event.trust,
      receivedAt: event.receivedAt,
      amount: event.amount ?? null,
      currency: event.currency ?? null,
      effect: null,
      deliveredAt: null,
      reads: 0,
    })
    .where(isEvent(event))
    .where('trust', '=', 'hint');
  if (event.trust === 'verified') {
    query = query
      .set({ receiptId: event.receiptId, merchantRequestId: event.merchantRequestId })
      .where((row) => row.not(row.exists(sameReceipt)));
  } else {
    // Without an effect so far, it will still be read.
    query = query.where('effect', 'is not', null).where('receivedAt', '<', event.receivedAt);
  }
  return met(query);
}

/** Adds the sum of a verified event that is known with another one or with none, so that it has its effect again. */
async function takeSum(db: Database, event: ReceivedCardEvent): Promise<boolean> {
  if (event.trust === 'hint') return false;
  for (;;) {
    const stored = db.selectFrom('cardEvents').select(['amount', 'currency']).where(isEvent(event));
    const known = await stored.where('trust', '=', 'verified').executeTakeFirst();
    const sum = known && combinedSum(known, event);
    if (known === undefined || sum === undefined) return false;
    const taken = db
      .updateTable('cardEvents')
      .set({ ...sum, receivedAt: event.receivedAt, effect: null, deliveredAt: null, reads: 0 })
      .where(isEvent(event))
      .where(saysSum(known));
    if (await met(taken)) return true;
  }
}

/** Members of `cards` of a store. */
export const CARD_OPERATIONS = {
  ...{ claim, change, confirmEnd, get, find, list, forPeople },
  ...{ addRequest, ownerOfRequest, addSession, ownerOfSession, ownerOfPayment, paymentsOf, addWaiter, waiters },
  ...{ receive, linkPayment, undelivered, eventsOf, recordEventEffect, countRetrieve },
};

export type CardStore = Repository<typeof CARD_OPERATIONS>;
