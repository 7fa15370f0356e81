import { sql } from 'kysely';
import { CLOSED_RUNS_MAX, type ClosedRuns, NO_CLOSED_RUNS } from '../domain/claim.ts';
import type { PayoutState } from '../domain/payout-state.ts';
import { ACCOUNT_HOLDS, type ReasonCode } from '../domain/reasons.ts';
import type { IncidentKind } from '../domain/reconciliation.ts';
import type { SwitchScope } from '../domain/switch-scope.ts';
import { isForPeople } from './card-store.ts';
import type { Database } from './engine/database.ts';
import { inTransaction, met, recent } from './engine/database.ts';
import { inShortTransaction, LOCKS, write } from './engine/groups.ts';
import type { OpenOrder, PayoutRecord } from './schema.ts';

export interface OpenOrderRequest {
  reference: string;
  workflowId: string;
  uid: string;
  /** One currency for a payment, both for an exchange. */
  currencies: readonly string[];
  /** When a list can first show the order. */
  since: number;
  at: number;
  /** An entry opened before is as young as a later `since`: it is too old for the list that the watch reads. */
  listedSince: number;
  /** A watch that has not polled since then counts as dead. */
  watchAliveSince: number;
}

/** What is noted about an open order; absent keys keep their value. */
interface OpenOrderNote {
  orderId?: string;
  /** Null: its owner must be signalled again. */
  notifiedStatus?: string | null;
  nextReadAt?: number | null;
}

export interface WatchKey {
  uid: string;
  currency: string;
}

/**
 * Adds a reference to the open set (an existing entry keeps what is known) and returns the keys whose watch must be signalled:
 * those without a watch that has polled since `watchAliveSince`.
 *
 * A watch that ends and a payout that registers exclude each other on the watch's row, which both lock before they read: either
 * the end sees the order, or the payout sees that no watch is left.
 */
export function openOrder(db: Database, request: OpenOrderRequest): Promise<WatchKey[]> {
  const { uid } = request;
  return inShortTransaction(db, LOCKS.watch, async (transaction) => {
    const asleep: WatchKey[] = [];
    // Sorted, so that two exchanges between the same currencies lock the two watches in the same order.
    for (const currency of [...new Set(request.currencies)].sort()) {
      await insert(transaction, request, currency);
      if (await wake(transaction, { uid, currency }, request)) asleep.push({ uid, currency });
    }
    return asleep;
  });
}

async function insert(db: Database, request: OpenOrderRequest, currency: string): Promise<void> {
  const { reference, uid, workflowId, since, listedSince } = request;
  await db
    .insertInto('openOrders')
    .values({ reference, uid, currency, workflowId, openedAt: since })
    .onConflict((conflict) =>
      conflict
        .columns(['reference', 'uid', 'currency'])
        .doUpdateSet({ openedAt: since, nextReadAt: null })
        .where('openOrders.openedAt', '<', Math.min(since, listedSince)),
    )
    .execute();
}

/**
 * True if the watch must be signalled. It then counts as alive, so that many payouts at once cause one signal; if the signaller
 * dies, `neglectedWatches` returns the key once the lease is over. The upsert locks the row either way.
 */
async function wake(db: Database, key: WatchKey, { at, watchAliveSince }: OpenOrderRequest): Promise<boolean> {
  const woken = await db
    .insertInto('watches')
    .values({ ...key, polledAt: at })
    .onConflict((conflict) =>
      conflict
        .columns(['uid', 'currency'])
        .doUpdateSet({ polledAt: at })
        .where(({ not, between }) => not(between('watches.polledAt', ...recent(watchAliveSince, at)))),
    )
    .returning('uid')
    .executeTakeFirst();
  return woken !== undefined;
}

export async function closeOrder(db: Database, reference: string): Promise<void> {
  await write(db, LOCKS.itsRows, (into) => into.deleteFrom('openOrders').where('reference', '=', reference).execute());
}

/** Orders opened since then (epoch ms), oldest first. */
export async function openOrders(db: Database, { uid, currency }: WatchKey, since = 0): Promise<OpenOrder[]> {
  return db
    .selectFrom('openOrders')
    .selectAll()
    .where('uid', '=', uid)
    .where('currency', '=', currency)
    .where('openedAt', '>=', Math.max(0, since))
    .orderBy('openedAt')
    .orderBy('reference')
    .execute();
}

/** Ids under which the watches have seen an open order of this reference. */
export async function orderIdsSeen(db: Database, reference: string): Promise<string[]> {
  const rows = await db.selectFrom('openOrders').select('orderId').where('reference', '=', reference).execute();
  return [...new Set(rows.flatMap(({ orderId }) => orderId ?? []))];
}

/** Absent keys keep their value. Applies to every currency, so that an exchange is signalled once. */
export async function noteOrder(db: Database, reference: string, note: OpenOrderNote): Promise<void> {
  if (Object.values(note).every((value) => value === undefined)) return;
  await write(db, LOCKS.itsRows, (into) =>
    into.updateTable('openOrders').set(note).where('reference', '=', reference).execute(),
  );
}

export async function touchWatch(db: Database, { uid, currency }: WatchKey, at: number): Promise<void> {
  await write(db, LOCKS.watch, (into) =>
    into
      .insertInto('watches')
      .values({ uid, currency, polledAt: at })
      .onConflict((conflict) => conflict.columns(['uid', 'currency']).doUpdateSet({ polledAt: at }))
      .execute(),
  );
}

/** True if the open set was empty and the watch is now marked as gone, in one transaction; false: keep watching. */
export function endWatch(db: Database, { uid, currency }: WatchKey): Promise<boolean> {
  return inTransaction(db, async (transaction) => {
    // Changes nothing; an update is the one way to lock the row that works on both databases. The next statement then sees every
    // order registered under an earlier lock.
    await transaction
      .updateTable('watches')
      .set((row) => ({ polledAt: row.ref('polledAt') }))
      .where('uid', '=', uid)
      .where('currency', '=', currency)
      .execute();
    const open = await transaction
      .selectFrom('openOrders')
      .select('reference')
      .where('uid', '=', uid)
      .where('currency', '=', currency)
      .limit(1)
      .executeTakeFirst();
    if (open !== undefined) return false;
    await transaction.deleteFrom('watches').where('uid', '=', uid).where('currency', '=', currency).execute();
    return true;
  });
}

/** Keys with open orders and no watch that has polled since `watchAliveSince`. */
export async function neglectedWatches(
  db: Database,
  { at, watchAliveSince }: Pick<OpenOrderRequest, 'at' | 'watchAliveSince'>,
): Promise<WatchKey[]> {
  return db
    .selectFrom('openOrders')
    .leftJoin('watches', (join) =>
      join.onRef('watches.uid', '=', 'openOrders.uid').onRef('watches.currency', '=', 'openOrders.currency'),
    )
    .select(['openOrders.uid', 'openOrders.currency'])
    .distinct()
    .where(({ eb, not, between, or }) =>
      or([eb('watches.polledAt', 'is', null), not(between('watches.polledAt', ...recent(watchAliveSince, at)))]),
    )
    .orderBy('openOrders.uid')
    .orderBy('openOrders.currency')
    .execute();
}

/** State of the store's work in counts and times (epoch ms), without any id. */
export interface OpenWork {
  /** One entry per state that has payouts without an end. */
  open: readonly { state: PayoutState; count: number; oldestCreatedAt: number; oldestSince: number }[];
  /** Open orders that the bank may have, sent before `sentBefore` and not found. */
  unknown: { count: number; oldestSentAt: number | null };
  /** Incidents not acknowledged. */
  incidents: readonly { kind: IncidentKind; count: number }[];
  switchesOff: readonly { scope: SwitchScope; count: number }[];
  /** Card payments that need an operator, or whose end the acquirer contradicts. */
  cardsForPeople: number;
  /** Among watches that are alive, the earliest last poll; null: there is none. */
  oldestPollAt: number | null;
  /** Oldest audit entry after the last checkpoint; null: all are signed. */
  oldestUnsignedAt: number | null;
}

/** Reads only indexes of open work. `sentBefore`: what was sent earlier should have been found. */
export async function openWork(db: Database, sentBefore: number): Promise<OpenWork> {
  const { polledAt } = await db
    .selectFrom('watches')
    .select((row) => row.fn.min<number | null>('polledAt').as('polledAt'))
    .executeTakeFirstOrThrow();
  const { cardsForPeople } = await db
    .selectFrom('cardPayments')
    .select((row) => row.fn.countAll<number>().as('cardsForPeople'))
    .where(isForPeople)
    .executeTakeFirstOrThrow();
  return {
    open: await db
      .selectFrom('payouts')
      .select([
        'state',
        (row) => row.fn.countAll<number>().as('count'),
        (row) => row.fn.min<number>('createdAt').as('oldestCreatedAt'),
        (row) => row.fn.min<number>('stateSince').as('oldestSince'),
      ])
      .where('endedAt', 'is', null)
      .groupBy('state')
      .execute(),
    unknown: await unknownOutcomes(db, sentBefore),
    incidents: await db
      .selectFrom('incidents')
      .select(['kind', (row) => row.fn.countAll<number>().as('count')])
      .where('acknowledgedAt', 'is', null)
      .groupBy('kind')
      .execute(),
    switchesOff: await db
      .selectFrom('switches')
      .select(['scope', (row) => row.fn.countAll<number>().as('count')])
      .groupBy('scope')
      .execute(),
    cardsForPeople,
    oldestPollAt: polledAt,
    oldestUnsignedAt: await oldestUnsigned(db),
  };
}

/** A found order is followed: its id is known, and its attempt is no longer in doubt. */
async function unknownOutcomes(db: Database, sentBefore: number): Promise<OpenWork['unknown']> {
  const { count, oldestSentAt } = await db
    .selectFrom('sendAttempts')
    .select([
      (row) => row.fn.count<number>('reference').distinct().as('count'),
      (row) => row.fn.min<number | null>('sentAt').as('oldestSentAt'),
    ])
    .where(sql<boolean>`resolved is null and (outcome is null or outcome = 'ambiguous')`)
    .where('sentAt', '<', sentBefore)
    .where((row) =>
      row.exists(
        row
          .selectFrom('openOrders')
          .select('openOrders.reference')
          .whereRef('openOrders.reference', '=', 'sendAttempts.reference')
          .where('openOrders.orderId', 'is', null),
      ),
    )
    .executeTakeFirstOrThrow();
  return { count, oldestSentAt };
}

/** Entries are numbered from 0, so the first one after a checkpoint has the checkpoint's size as its number. */
async function oldestUnsigned(db: Database): Promise<number | null> {
  const { signed } = await db
    .selectFrom('auditCheckpoints')
    .select((row) => row.fn.max<number | null>('size').as('signed'))
    .executeTakeFirstOrThrow();
  const entry = await db
    .selectFrom('auditLog')
    .select('at')
    .where('seq', '=', signed ?? 0)
    .executeTakeFirst();
  return entry?.at ?? null;
}

/** An account as used by one user; the bank may refuse it to one user and not to another. */
export interface UserAccount {
  uid: string;
  accountId: string;
}

/**
 * Accounts whose next rows are not released: those that the bank refuses to the user, and those with `waitingMax` rows awaiting
 * funds. By user, so that a row naming somebody else's account stops only its own user.
 */
export async function pausedAccounts(db: Database, waitingMax: number): Promise<UserAccount[]> {
  const held = db
    .selectFrom('payouts')
    .select(['uid', 'accountId'])
    .where('state', '=', 'held')
    .where('reasonCode', 'in', ACCOUNT_HOLDS)
    .where('accountId', 'is not', null);
  const short = db
    .selectFrom('payouts')
    .select(['uid', 'accountId'])
    .where('state', '=', 'awaiting-funds')
    // Its money is still bought: the account is not short of it.
    .where('reasonCode', '!=', 'awaiting-exchange' satisfies ReasonCode)
    .where('accountId', 'is not', null)
    .groupBy(['uid', 'accountId'])
    .having(({ fn }) => fn.countAll(), '>=', waitingMax);
  return held.union(short).$narrowType<{ accountId: string }>().execute();
}

/** Amounts (decimal strings, unordered) needed on the same account by rows that await funds and come before this one. */
export async function fundsNeededAhead(db: Database, reference: string): Promise<string[]> {
  const self = await db
    .selectFrom('payouts')
    .select(['accountId', 'priority', 'createdAt', 'row', 'reference'])
    .where('reference', '=', reference)
    .executeTakeFirst();
  if (self === undefined || self.accountId === null) return [];
  const rows = await db
    .selectFrom('payouts')
    .select(['reference', 'priority', 'createdAt', 'row', 'fundsNeeded'])
    .where('state', '=', 'awaiting-funds')
    .where('accountId', '=', self.accountId)
    .where('priority', '<=', self.priority)
    .execute();
  return rows.filter((row) => comesBefore(row, self)).flatMap(({ fundsNeeded }) => fundsNeeded ?? []);
}

/**
 * Whether the bank has shown more than one order under a reference of this user, and it is either with an operator now or an
 * incident that nobody has acknowledged.
 */
export async function hasSuspectedDuplicate(db: Database, uid: string): Promise<boolean> {
  // Literals instead of parameters, or the partial indexes are not used.
  const row = await db
    .selectFrom('payouts')
    .select('reference')
    .where('uid', '=', uid)
    .where('reasonCode', '=', sql.lit<ReasonCode>('duplicate-suspected'))
    .where('state', '=', 'needs-operator')
    .executeTakeFirst();
  if (row !== undefined) return true;
  const incident = await db
    .selectFrom('incidents')
    .select('incidentId')
    .where('uid', '=', uid)
    .where('kind', '=', sql.lit<IncidentKind>('second-order'))
    .where('acknowledgedAt', 'is', null)
    .executeTakeFirst();
  return incident !== undefined;
}

type Place = { priority: number; createdAt: number; row: number | null; reference: string };

/** By priority, then by claim time, then by row of the file. */
function comesBefore(a: Place, b: Place): boolean {
  if (a.priority !== b.priority) return a.priority < b.priority;
  if (a.createdAt !== b.createdAt) return a.createdAt < b.createdAt;
  if (a.row !== b.row) return (a.row ?? 0) < (b.row ?? 0);
  return a.reference < b.reference;
}

// Payouts whose workflow may have been closed before they had an end, and how often that was found.

/** A payout without changes for a while, with its closed runs. */
export type QuietPayout = PayoutRecord & { closedRuns: ClosedRuns };

/**
 * Which quiet payouts: rows of a batch, payouts without a batch (`null`), or rows of ended batches, which were left to people and
 * which nothing else checks.
 */
export type QuietScope = { batchId: string | null } | 'ended-batches';

/**
 * Released payouts without an end, unchanged since `changedBefore` and restartable at `now`; by reference, after `after`.
 * Excludes those handed to people because their runs were closed repeatedly.
 */
export async function quietPayouts(
  db: Database,
  scope: QuietScope,
  { changedBefore, now }: { changedBefore: number; now: number },
  { after, limit }: { after: string | null; limit: number },
): Promise<QuietPayout[]> {
  let query = db
    .selectFrom('payouts')
    .selectAll()
    .where('releasedAt', 'is not', null)
    .where('endedAt', 'is', null)
    .where(({ not, between }) => not(between('updatedAt', ...recent(changedBefore, now))))
    .where((row) => row.or([row('nextRestartAt', 'is', null), row('nextRestartAt', '<=', now)]))
    .where((row) => row.or([row('closedRuns', '<', CLOSED_RUNS_MAX), row('state', '!=', 'needs-operator')]));
  if (scope === 'ended-batches') {
    query = query.where(({ exists, selectFrom }) =>
      exists(
        selectFrom('batches')
          .select('batches.batchId')
          .whereRef('batches.batchId', '=', 'payouts.batchId')
          .where('batches.endedAt', 'is not', null),
      ),
    );
  } else if (scope.batchId === null) query = query.where('batchId', 'is', null);
  else query = query.where('batchId', '=', scope.batchId);
  if (after !== null) query = query.where('reference', '>', after);
  const rows = await query.orderBy('reference').limit(limit).execute();
  return rows.map(({ closedRuns: count, closedAtState: closedState, nextRestartAt, ...row }) => ({
    ...row,
    closedRuns: { count, closedState, nextRestartAt },
  }));
}

/** Compare-and-set: false if the count changed since `before`, so that of concurrent passes only one restarts the payout. */
export async function countClosedRun(
  db: Database,
  reference: string,
  before: ClosedRuns,
  after: ClosedRuns,
): Promise<boolean> {
  return met(
    db
      .updateTable('payouts')
      .set(columnsOf(after))
      .where('reference', '=', reference)
      .where('closedRuns', '=', before.count)
      .where('endedAt', 'is', null),
  );
}

/**
 * Resets the count of closed runs because an operator starts the payout again: of one payout, or of all that are with an operator
 * because their workflow was closed.
 */
export async function forgetClosedRuns(db: Database, reference?: string): Promise<void> {
  await db
    .updateTable('payouts')
    .set(columnsOf(NO_CLOSED_RUNS))
    .where((row) =>
      row.and(reference === undefined ? { state: 'needs-operator', reasonCode: 'workflow-closed' } : { reference }),
    )
    .execute();
}

function columnsOf({ count, closedState, nextRestartAt }: ClosedRuns) {
  return { closedRuns: count, closedAtState: closedState, nextRestartAt };
}
