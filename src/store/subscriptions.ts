import { audit } from './audit.ts';
import { chunks } from './engine/chunks.ts';
import type { Database } from './engine/database.ts';
import { insertNew, met } from './engine/row-writes.ts';
import { inTransaction } from './engine/transaction.ts';
import { lockOutboxTail } from './outbox.ts';
import type { RefusedEvent, SubscriptionRecord } from './outbox-schema.ts';

const SHOWN = ['name', 'position', 'failures', 'failingSince', 'why', 'nextTryAt', 'parkedAt', 'toldAt'] as const;

const NOT_FAILING = { failures: 0, failingSince: null, why: null, nextTryAt: null, parkedAt: null };

/** By name. */
export async function subscriptions(db: Database): Promise<SubscriptionRecord[]> {
  return db.selectFrom('subscriptions').select(SHOWN).orderBy('name').execute();
}

/** Who delivers to a subscription, and until when. */
export interface Lease {
  name: string;
  owner: string;
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
export async function releaseSubscription(db: Database, { name, owner }: Pick<Lease, 'name' | 'owner'>): Promise<void> {
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
  settled?: readonly number[];
}

/** Stores progress, all or nothing. False: another process sends by now, or a replay was requested meanwhile. */
export function recordDeliveryProgress(
  db: Database,
  { name, owner, from }: Pick<Lease, 'name' | 'owner'> & { from: number },
  { refused = [], settled = [], ...move }: SubscriptionMove,
): Promise<boolean> {
  return inTransaction(db, async (transaction) => {
    const its = transaction.updateTable('subscriptions').where('name', '=', name).where('owner', '=', owner);
    if (!(await met(its.set({ ...move, owner }).where('position', '=', from)))) return false;
    for (const some of chunks(settled)) {
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
