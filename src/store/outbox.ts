import type { EventFilter } from '../domain/events-out.ts';
import { audit } from './audit-log.ts';
import type { Database } from './engine/database.ts';
import { chunks, inChunks, insertNew, inTransaction, met } from './engine/database.ts';
import type { OutboxEvent, RefusedEvent, SubscriptionRecord } from './outbox-tables.ts';

/** Id of the only row of `outboxHead`, and of `outboxTail`. */
const ROW_ID = 0;

/**
 * Writes events in the transaction that makes the reported change, right before its audit entry: on PostgreSQL the head's row
 * stays locked until the commit. No reader sees a position before all smaller ones.
 */
export async function announce(transaction: Database, announced: NewEvent | readonly NewEvent[]): Promise<void> {
  const events = [announced].flat();
  if (events.length === 0) return;
  const { position } = await transaction
    .updateTable('outboxHead')
    .set((row) => ({ position: row('position', '+', events.length) }))
    .where('id', '=', ROW_ID)
    .returning('position')
    .executeTakeFirstOrThrow();
  const first = position - events.length + 1;
  const rows = events.map((event, index) => ({ ...event, position: first + index }));
  for (const some of chunks(rows)) await transaction.insertInto('outbox').values(some).execute();
}

export type NewEvent = Omit<OutboxEvent, 'position'>;

/** Position of the last event; 0: there is none. */
export const outboxHead = (db: Database): Promise<number> => positionIn(db, 'outboxHead');

/** Position up to which events are deleted; 0: none are. */
export const outboxTail = (db: Database): Promise<number> => positionIn(db, 'outboxTail');

async function positionIn(db: Database, table: 'outboxHead' | 'outboxTail'): Promise<number> {
  const { position } = await db.selectFrom(table).select('position').where('id', '=', ROW_ID).executeTakeFirstOrThrow();
  return position;
}

/** Events after `after` up to `upTo` that pass the filter, by position, at most `limit`. */
export async function outboxEvents(
  db: Database,
  { kinds, uids, after, upTo, limit }: EventFilter & { after: number; upTo?: number; limit: number },
): Promise<OutboxEvent[]> {
  return db
    .selectFrom('outbox')
    .selectAll()
    .where('position', '>', after)
    .$if(upTo !== undefined, (query) => query.where('position', '<=', upTo ?? 0))
    .$if(kinds !== undefined, (query) => query.where('kind', 'in', kinds ?? []))
    .$if(uids !== undefined, (query) => query.where('uid', 'in', uids ?? []))
    .orderBy('position')
    .limit(limit)
    .execute();
}

/** By position. */
export async function outboxEventsAt(db: Database, positions: readonly number[]): Promise<OutboxEvent[]> {
  const query = db.selectFrom('outbox').selectAll();
  const found = await inChunks(positions, (some) => query.where('position', 'in', some).execute());
  return found.sort((a, b) => a.position - b.position);
}

/** `outboxTail`, locked until the end of the transaction. */
async function lockOutboxTail(transaction: Database): Promise<number> {
  const { position } = await transaction
    .updateTable('outboxTail')
    .set((row) => ({ position: row.ref('position') }))
    .where('id', '=', ROW_ID)
    .returning('position')
    .executeTakeFirstOrThrow();
  return position;
}

/**
 * Deletes the oldest events, at most `limit`: those that every subscription is past and that were written before `before` (epoch
 * ms). Events that a subscription refused stay for a replay. Returns how many positions it passed; 0: nothing left to delete.
 */
export function pruneOutbox(db: Database, { before, limit }: { before: number; limit: number }): Promise<number> {
  return inTransaction(db, async (transaction) => {
    const tail = await lockOutboxTail(transaction);
    const { reported } = await transaction
      .selectFrom('subscriptions')
      .select(({ fn }) => fn.min('position').as('reported'))
      .executeTakeFirstOrThrow();
    const first = await transaction
      .selectFrom('outbox')
      .select(['position', 'at'])
      .where('position', '>', tail)
      // Without subscriptions no event is owed to anybody.
      .$if(reported !== null, (query) => query.where('position', '<=', reported))
      .orderBy('position')
      .limit(limit)
      .execute();
    const kept = first.findIndex(({ at }) => at >= before);
    const pruned = kept === -1 ? first : first.slice(0, kept);
    const position = pruned.at(-1)?.position;
    if (position === undefined) return 0;
    await transaction
      .deleteFrom('outbox')
      .where('position', '>', tail)
      .where('position', '<=', position)
      .where('position', 'not in', (query) => query.selectFrom('refusedEvents').select('position'))
      .execute();
    await transaction.updateTable('outboxTail').set({ position }).where('id', '=', ROW_ID).execute();
    return pruned.length;
  });
}

const SHOWN = ['name', 'position', 'failures', 'failingSince', 'why', 'nextTryAt', 'parkedAt', 'deliveredAt'] as const;

const NOT_FAILING = { failures: 0, failingSince: null, why: null, nextTryAt: null, parkedAt: null };

/** By name. */
export async function subscriptions(db: Database): Promise<SubscriptionRecord[]> {
  return db.selectFrom('subscriptions').select(SHOWN).orderBy('name').execute();
}

interface LeaseKey {
  name: string;
  owner: string;
}

/** Who delivers to a subscription, and until when. */
interface Lease extends LeaseKey {
  now: number;
  until: number;
}

/**
 * Leases the subscription to `owner` until then, or renews its lease; undefined: another process holds it. A new subscription
 * begins after the last event.
 */
export async function leaseSubscription(
  db: Database,
  { name, owner, now, until }: Lease,
): Promise<SubscriptionRecord | undefined> {
  const head = db.selectFrom('outboxHead').select('position');
  await insertNew(db, 'subscriptions', { name, position: head, ...NOT_FAILING });
  return db
    .updateTable('subscriptions')
    .set({ owner, ownedUntil: until })
    .where('name', '=', name)
    .where((row) => row.or([row('owner', 'is', null), row('owner', '=', owner), row('ownedUntil', '<=', now)]))
    .returning(SHOWN)
    .executeTakeFirst();
}

/** Releases the lease at once. */
export async function releaseSubscription(db: Database, { name, owner }: LeaseKey): Promise<void> {
  await db
    .updateTable('subscriptions')
    .set({ owner: null, ownedUntil: null })
    .where('name', '=', name)
    .where('owner', '=', owner)
    .execute();
}

/** Progress of a sender; absent keys keep their value. */
export interface SubscriptionMove extends Partial<Omit<SubscriptionRecord, 'name'>> {
  /** Refused events in their current state. */
  refused?: readonly RefusedEvent[];
  /** Positions of events refused earlier that are now accepted or need no delivery any more. */
  resolved?: readonly number[];
}

/** Stores progress, all or nothing. False: another process sends by now, or a replay was requested meanwhile. */
export function recordDeliveryProgress(
  db: Database,
  { name, owner, from }: LeaseKey & { from: number },
  { refused = [], resolved = [], ...move }: SubscriptionMove,
): Promise<boolean> {
  return inTransaction(db, async (transaction) => {
    const its = transaction.updateTable('subscriptions').where('name', '=', name).where('owner', '=', owner);
    if (!(await met(its.set({ ...move, owner }).where('position', '=', from)))) return false;
    for (const some of chunks(resolved)) {
      await transaction.deleteFrom('refusedEvents').where('name', '=', name).where('position', 'in', some).execute();
    }
    for (const some of chunks(refused)) {
      await transaction
        .insertInto('refusedEvents')
        .values(some.map((event) => ({ ...event, name })))
        .onConflict((conflict) =>
          conflict.columns(['name', 'position']).doUpdateSet(({ ref }) => ({
            failures: ref('excluded.failures'),
            why: ref('excluded.why'),
            nextTryAt: ref('excluded.nextTryAt'),
            parkedAt: ref('excluded.parkedAt'),
          })),
        )
        .execute();
    }
    return true;
  });
}

/** By position, including parked ones. */
export async function refusedEvents(db: Database, name: string): Promise<RefusedEvent[]> {
  return db
    .selectFrom('refusedEvents')
    .select(['position', 'subject', 'since', 'failures', 'why', 'nextTryAt', 'parkedAt'])
    .where('name', '=', name)
    .orderBy('position')
    .execute();
}

/**
 * Delivers everything from a position on again, at once; with an audit entry. The current sender stops at its next write.
 * `unknown`: no such subscription. `deleted`: the event of this position is gone.
 */
export function replaySubscription(
  db: Database,
  { name, from, by, at }: { name: string; from: number; by: string; at: number },
): Promise<'replayed' | 'unknown' | 'deleted'> {
  return inTransaction(db, async (transaction) => {
    if (from <= (await lockOutboxTail(transaction))) return 'deleted';
    const its = transaction.updateTable('subscriptions').where('name', '=', name);
    const moved = its.set({ ...NOT_FAILING, position: from - 1, owner: null, ownedUntil: null });
    if (!(await met(moved))) return 'unknown';
    await transaction.deleteFrom('refusedEvents').where('name', '=', name).where('position', '>=', from).execute();
    const detail = { from: `${from}` };
    await audit(transaction, { at, actor: by, action: 'events replayed', subject: name, detail });
    return 'replayed';
  });
}

/** Deletes a subscription, with an audit entry; if its name is used again, it begins anew. False: there is none. */
export function forgetSubscription(
  db: Database,
  { name, by, at }: { name: string; by: string; at: number },
): Promise<boolean> {
  return inTransaction(db, async (transaction) => {
    if (!(await met(transaction.deleteFrom('subscriptions').where('name', '=', name)))) return false;
    await transaction.deleteFrom('refusedEvents').where('name', '=', name).execute();
    await audit(transaction, { at, actor: by, action: 'events forgotten', subject: name, detail: {} });
    return true;
  });
}
