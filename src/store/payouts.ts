import { type RawBuilder, type Selectable, sql } from 'kysely';
import type { Question, Scope } from '../domain/authority.ts';
import type { EventKind } from '../domain/events-out.ts';
import type { Assessment } from '../domain/gates.ts';
import { pagesOf } from '../domain/iterate.ts';
import {
  END_STATES,
  type EndState,
  isEnd,
  needsAttention,
  type PayoutState,
  type Reason,
} from '../domain/payout-state.ts';
import type { PaidShown } from '../domain/sent-order.ts';
import type { AuditEntry } from './audit/entry.ts';
import { audit } from './audit-log.ts';
import { json } from './engine/column-dialect.ts';
import {
  beginning,
  chunks,
  type Database,
  inChunks,
  insertNew,
  inTransaction,
  met,
  ROWS_PER_STATEMENT,
} from './engine/database.ts';
import { inShortTransaction, LOCKS, write } from './engine/groups.ts';
import { askedDetailOf, paidDetail } from './money-detail.ts';
import { announce } from './outbox.ts';
import type { PayoutRecord, Tables } from './schema.ts';

export async function payout(db: Database, reference: string): Promise<PayoutRecord | undefined> {
  return db.selectFrom('payouts').selectAll().where('reference', '=', reference).executeTakeFirst();
}

/** All payouts, by reference, page by page. */
export function payoutPages(db: Database): AsyncGenerator<PayoutRecord[]> {
  const query = db.selectFrom('payouts').selectAll().orderBy('reference').limit(ROWS_PER_STATEMENT);
  return pagesOf<PayoutRecord>(ROWS_PER_STATEMENT, (last) =>
    query.where('reference', '>', last?.reference ?? '').execute(),
  );
}

/** When the first payout of each user was claimed, epoch ms. */
export async function firstClaims(db: Database): Promise<{ uid: string; createdAt: number }[]> {
  return db
    .selectFrom('payouts')
    .select((row) => ['uid', row.fn.min<number>('createdAt').as('createdAt')])
    .groupBy('uid')
    .execute();
}

/** Every user with a payout, in the order of their ids, at most `limit`. */
export async function users(db: Database, limit: number): Promise<string[]> {
  const rows = await db.selectFrom('payouts').select('uid').distinct().orderBy('uid').limit(limit).execute();
  return rows.map(({ uid }) => uid);
}

export async function userOf(db: Database, reference: string): Promise<string | undefined> {
  const row = await db.selectFrom('payouts').select('uid').where('reference', '=', reference).executeTakeFirst();
  return row?.uid;
}

/** Payouts with these references; unknown ones are left out. */
export function payoutsOf(db: Database, references: readonly string[]): Promise<PayoutRecord[]> {
  const query = db.selectFrom('payouts').selectAll();
  return inChunks(references, (some) => query.where('reference', 'in', some).execute());
}

/** Documents of the other rows of its batch with the same payee, amount and currency; at most `ALIKE_MAX`. */
export async function alikeInBatch(db: Database, { batchId, reference, ...keys }: PayoutRecord): Promise<string[]> {
  if (batchId === null) return [];
  const found = new Set<string>();
  for (const column of ['lookAlikeKey', 'lookAlikeAccount'] as const) {
    const rows = await db
      .selectFrom('payouts')
      .select('documentId')
      .where(column, '=', keys[column])
      .where('batchId', '=', batchId)
      .where('reference', '!=', reference)
      .orderBy('row')
      .limit(ALIKE_MAX)
      .execute();
    for (const { documentId } of rows) found.add(documentId);
  }
  return [...found].slice(0, ALIKE_MAX);
}

const ALIKE_MAX = 10;

/** Payouts with one of these order ids. */
export function payoutsOfOrders(db: Database, orderIds: readonly string[]): Promise<PayoutRecord[]> {
  const query = db.selectFrom('payouts').selectAll();
  return inChunks(orderIds, (some) => query.where('orderId', 'in', some).execute());
}

/** Payouts with this batch id, reference, workflow id, order id or document id; oldest first, at most `limit`. */
export async function findPayouts(db: Database, id: string, limit: number): Promise<PayoutRecord[]> {
  return db
    .selectFrom('payouts')
    .selectAll()
    .where((row) =>
      row.or([
        row('batchId', '=', id),
        row('reference', '=', id),
        row('workflowId', '=', id),
        row('orderId', '=', id),
        row('documentId', '=', id),
      ]),
    )
    .orderBy('createdAt')
    .orderBy('row')
    .orderBy('reference')
    .limit(limit)
    .execute();
}

/** Payouts whose reference, order id or document id begins with `prefix`; newest first, at most `limit`. Reads every row. */
export async function payoutsWithPrefix(db: Database, prefix: string, limit: number): Promise<PayoutRecord[]> {
  return db
    .selectFrom('payouts')
    .selectAll()
    .where((row) =>
      row.or(
        (['reference', 'orderId', 'documentId'] as const).map((column) => row(beginning(column, prefix), '=', prefix)),
      ),
    )
    .orderBy('createdAt', 'desc')
    .orderBy('reference')
    .limit(limit)
    .execute();
}

/**
 * Stores the assessment; false if the run no longer holds the claim. With an audit entry if the earlier assessment passed in was
 * made under another policy.
 */
export async function recordAssessment(
  db: Database,
  { reference, term, assessed: before }: HeldClaim & Partial<Pick<PayoutRecord, 'assessed'>>,
  assessed: Assessment,
  at: number,
): Promise<boolean> {
  const record = (into: Database): Promise<boolean> =>
    met(
      into
        .updateTable('payouts')
        .set({ assessed: json(assessed) })
        .where('reference', '=', reference)
        .where('term', '=', term)
        .where('state', 'not in', END_STATES),
    );
  const [from = 'none', to = 'none'] = [before?.policyHash, assessed.policyHash];
  if (before == null || from === to) return write(db, LOCKS.itsRows, record);
  return inTransaction(db, async (transaction) => {
    if (!(await record(transaction))) return false;
    const detail = { from, to };
    await audit(transaction, { at, actor: 'product', action: 'read under another policy', subject: reference, detail });
    return true;
  });
}

/** Records who approved a digest, with an event, and an audit entry for each new approval; idempotent. */
export async function recordApprovals(
  db: Database,
  { reference, digest, by, at }: { reference: string; digest: string; by: readonly string[]; at: number },
): Promise<void> {
  if (by.length === 0) return;
  await inTransaction(db, async (transaction) => {
    const added = await transaction
      .insertInto('decisions')
      .values(by.map((person) => ({ reference, digest, by: person, at })))
      .onConflict((conflict) => conflict.doNothing())
      .returning('by')
      .execute();
    const detail = { digest, ...(await askedDetailOf(transaction, reference)) };
    const row = await transaction
      .selectFrom('payouts')
      .select('uid')
      .where('reference', '=', reference)
      .executeTakeFirst();
    if (row !== undefined && added.length > 0) {
      await announce(transaction, { kind: 'payout.approved', subject: reference, ...row, at });
    }
    const entries = added.map(({ by: actor }) => ({ at, actor, action: 'approve', subject: reference, detail }));
    await audit(transaction, entries);
  });
}

export async function approvalsOf(db: Database, reference: string, digest: string): Promise<string[]> {
  const approvals = await approvalsOfMany(db, [reference]);
  return approvals.filter((approval) => approval.digest === digest).map(({ by }) => by);
}

/** Approvals under any of these references and any digest, oldest first. */
export function approvalsOfMany(
  db: Database,
  references: readonly string[],
): Promise<Selectable<Tables['decisions']>[]> {
  const query = db.selectFrom('decisions').selectAll().orderBy('at').orderBy('by');
  return inChunks(references, (some) => query.where('reference', 'in', some).execute());
}

/**
 * States in which payouts wait for people. The index has the same list: a query without exactly this condition does not use it.
 */
const WAITING = ['awaiting-approval', 'awaiting-bank-approval', 'held', 'awaiting-funds', 'needs-operator'] as const;

type WaitingState = (typeof WAITING)[number];

export interface WaitingFor {
  states: readonly WaitingState[];
  scope: Scope;
  /** Maker whose payouts are left out, except those about which nobody decides: nobody decides their own. */
  notBy: string | undefined;
  limit: number;
}

/** Nobody decides about these, so that their makers may act too. */
const UNDECIDED: readonly PayoutState[] = ['needs-operator', 'awaiting-funds'];

/** Hides a column from other indexes: SQLite would otherwise use that of lanes or documents and sort the result. */
const aside = (column: 'state' | 'uid' | 'accountId' | 'currency') => sql<string>`coalesce(${sql.ref(column)}, '')`;

/** References of payouts that wait for people of this scope, oldest first. Reads only the index. */
export async function waitingPayouts(
  db: Database,
  { states, scope: { uids, accounts, currencies }, notBy, limit }: WaitingFor,
): Promise<string[]> {
  if ([states, uids, accounts, currencies].some((list) => list?.length === 0)) return [];
  const rows = await db
    .selectFrom('payouts')
    .select('reference')
    .where(sql<boolean>`${aside('state')} in (${sql.join(WAITING.map((state) => sql.lit(state)))})`)
    .$if(states.length < WAITING.length, (query) => query.where(aside('state'), 'in', states))
    .$if(uids !== undefined, (query) => query.where(aside('uid'), 'in', uids ?? []))
    .$if(accounts !== undefined, (query) => query.where(aside('accountId'), 'in', accounts ?? []))
    .$if(currencies !== undefined, (query) => query.where(aside('currency'), 'in', currencies ?? []))
    .$if(notBy !== undefined, (query) =>
      query.where((row) =>
        row.or([row('state', 'in', UNDECIDED), row('by', 'is', null), row('by', '!=', notBy ?? '')]),
      ),
    )
    .orderBy('createdAt')
    .orderBy('row')
    .orderBy('reference')
    .limit(limit)
    .execute();
  return rows.map(({ reference }) => reference);
}

export interface KeptApproval {
  reference: string;
  question: Question;
  digest: string;
  /** By a plan of its batch. */
  byPlan: boolean;
}

/**
 * Approvals of payouts by a person with credentials they still have, alone or by a plan. They are not verified: use them to hide
 * rows from a list, never to decide what counts.
 */
export async function decidedBy(
  db: Database,
  { subject, credentials, now }: { subject: string; credentials: readonly string[]; now: number },
  payouts: readonly PayoutRecord[],
): Promise<KeptApproval[]> {
  const found: KeptApproval[] = [];
  if (credentials.length === 0) return found;
  const mine = db
    .selectFrom('signedDecisions')
    .where('subject', '=', subject)
    .where('credential', 'in', credentials)
    .where('decision', '=', 'approve')
    .where('usedAt', 'is', null)
    .where('expiresAt', '>', now);
  for (const some of chunks(payouts)) {
    const references = some.map(({ reference }) => reference);
    const batches = [...new Set(some.flatMap(({ batchId }) => batchId ?? []))];
    const alone = mine.select(['reference', 'question', 'digest']).where('reference', 'in', references);
    for (const approval of await alone.execute()) found.push({ ...approval, byPlan: false });
    if (batches.length === 0) continue;
    const planned = mine
      .innerJoin('planRows', 'planRows.plan', 'signedDecisions.digest')
      .select(['planRows.reference', 'question', 'planRows.digest'])
      .where('signedDecisions.reference', 'in', batches)
      .where('planRows.reference', 'in', references);
    for (const approval of await planned.execute()) found.push({ ...approval, byPlan: true });
  }
  return found;
}

export interface PayoutChange {
  /** Term of the writing run: nothing changes unless it holds the claim. Absent: the writer is not a run. */
  term?: number;
  state: PayoutState;
  /** Nothing changes unless the row is in this state; absent: in any without an end. */
  from?: PayoutState;
  reason?: Reason | null;
  orderId?: string;
  fee?: string;
  feeCurrency?: string;
  /** The amount that the row needs on its account, decimal string; null: unknown. */
  fundsNeeded?: string | null;
  /** With `completed`: the order as the bank shows it; the first one of a payout is kept. */
  paid?: PaidShown;
  /** With an end: its order stays in the open set, since its run has yet to be notified of it. */
  staysOpen?: boolean;
  at: number;
}

export interface HeldClaim {
  reference: string;
  term: number;
}

/**
 * Absent keys keep their value; `reason: null` clears it. False, with nothing changed, if the row has an end, is not in the state
 * `from`, or the term is not the holder's.
 */
export async function changePayout(db: Database, reference: string, change: PayoutChange): Promise<boolean> {
  const { state, reason = null, orderId, staysOpen = false, paid, at } = change;
  if (!isEnd(state)) {
    if (needsAttention(state) || orderId !== undefined) return changeAnnounced(db, reference, change);
    return write(db, LOCKS.itsRows, async (into) => (await changeRow(into, reference, change)) !== undefined);
  }
  return inShortTransaction(db, LOCKS.logs, async (transaction) => {
    const row = await changeRow(transaction, reference, change);
    if (row === undefined) return false;
    const payee = row.assessed?.beneficiary;
    if (state === 'completed' && payee?.known === true) {
      const { uid } = row;
      const { amount, currency } = row.instruction;
      const { id: payeeId, digest } = payee;
      await insertNew(transaction, 'payeePayments', { reference, uid, payeeId, digest, amount, currency, paidAt: at });
    }
    if (state === 'completed' && paid !== undefined) {
      const { amount = null, currency = null, accountId = null } = paid;
      const seen = { reference, orderId: paid.orderId, amount, currency, accountId, seenAt: at };
      await insertNew(transaction, 'paidOrders', seen);
    }
    if (!staysOpen) await transaction.deleteFrom('openOrders').where('reference', '=', reference).execute();
    const { fee, feeCurrency } = change;
    const money = paid && paidDetail(paid, { fee, feeCurrency });
    await recordEnds(transaction, [{ ...row, reference, state, reason, orderId, money, at }]);
    return true;
  });
}

/**
 * Announces `payout.submitted` once for an order, and `payout.attention` once for a state and reason, however often the row is
 * written with them.
 */
function changeAnnounced(db: Database, reference: string, change: PayoutChange): Promise<boolean> {
  return inShortTransaction(db, LOCKS.logs, async (transaction) => {
    // One statement that reads and locks: the only way that works on both databases.
    const before = await transaction
      .updateTable('payouts')
      .set((row) => ({ term: row.ref('term') }))
      .where('reference', '=', reference)
      .returning(['state', 'reasonCode', 'orderId'])
      .executeTakeFirst();
    const row = await changeRow(transaction, reference, change);
    if (row === undefined) return false;
    const { state, reason, uid } = row;
    const { orderId = before?.orderId, at } = change;
    const isKnown = before?.state === state && before.reasonCode === (reason?.code ?? null);
    const kinds: EventKind[] = [];
    if (before?.orderId !== orderId) kinds.push('payout.submitted');
    if (!isKnown && needsAttention(state, reason)) kinds.push('payout.attention');
    await announce(
      transaction,
      kinds.map((kind) => ({ kind, subject: reference, uid, at })),
    );
    return true;
  });
}

/** Announces and audits the ends of payouts, as the last step of the transaction that stores them. */
export async function recordEnds(
  transaction: Database,
  ends: readonly (Parameters<typeof endEntry>[0] & Pick<PayoutRecord, 'uid'>)[],
): Promise<void> {
  const events = ends.flatMap(({ reference, state, uid, at }) => {
    const kinds: EventKind[] = state === 'rejected' ? ['payout.rejected', 'payout.ended'] : ['payout.ended'];
    return kinds.map((kind) => ({ kind, subject: reference, uid, at }));
  });
  await announce(transaction, events);
  await audit(transaction, ends.map(endEntry));
}

/** Audit entry of an end: its reason says what the bank showed or people decided. */
function endEntry({
  reference,
  state,
  reason,
  orderId,
  by,
  at,
  assessed,
  money,
}: Pick<PayoutRecord, 'reference'> & {
  /** Absent: the payout was never assessed. */
  assessed?: Assessment | null;
  state: EndState;
  reason: Reason | null;
  orderId?: string | null;
  by?: string;
  /** Of the paid order, as the bank shows it. */
  money?: Readonly<Record<string, string>>;
  at: number;
}): AuditEntry {
  const policy = assessed?.policyHash;
  const said = { ...(reason && { code: reason.code, why: reason.message }), ...(orderId && { orderId }) };
  const detail = { ...said, ...money, ...(policy !== undefined && { policy }) };
  return { at, actor: by ?? 'product', action: `payout ${state}`, subject: reference, detail };
}

/** Columns that say which state a row is in, why, and since when. */
export const stateColumns = (state: PayoutState, reason: Reason | null | undefined, at: number) => ({
  state,
  reason: json(reason),
  reasonCode: reason ? reason.code : reason,
  updatedAt: at,
  stateSince: sinceOf(state, reason, at),
  endedAt: isEnd(state) ? at : undefined,
});

/** Entered now, unless the row has this state and reason already; without a reason given, it keeps the one that it has. */
function sinceOf(state: PayoutState, reason: Reason | null | undefined, at: number): RawBuilder<number> {
  const isSame =
    reason === undefined
      ? sql`state = ${state}`
      : sql`state = ${state} and coalesce(reason_code, '') = ${reason?.code ?? ''}`;
  return sql<number>`case when ${isSame} then state_since else ${at} end`;
}

type ChangedRow = Pick<PayoutRecord, (typeof CHANGED)[number]>;

const CHANGED = ['assessed', 'uid', 'instruction', 'state', 'reason'] as const;

/** Each column by its name: a change may come from a workflow of anybody, with members that name others. */
async function changeRow(
  db: Database,
  reference: string,
  { term, state, from, reason, orderId, fee, feeCurrency, fundsNeeded, at }: PayoutChange,
): Promise<ChangedRow | undefined> {
  return db
    .updateTable('payouts')
    .set({ ...stateColumns(state, reason, at), orderId, fee, feeCurrency, fundsNeeded })
    .where('reference', '=', reference)
    .where('state', 'not in', END_STATES)
    .$if(term !== undefined, (query) => query.where('term', '=', term ?? 0))
    .$if(from !== undefined, (query) => query.where('state', '=', from ?? state))
    .returning(CHANGED)
    .executeTakeFirst();
}
