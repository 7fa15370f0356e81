import { inChunks } from './engine/chunks.ts';
import type { Database } from './engine/database.ts';
import type { WatchKey } from './open-orders.ts';
import type { ListLag, ListLook } from './shown-schema.ts';

/** Records a look in the place of the previous one; `resumption` null leaves the recorded one. */
export async function recordLook(db: Database, look: ListLook): Promise<void> {
  await db
    .insertInto('listLooks')
    .values(look)
    .onConflict((conflict) =>
      conflict.columns(['uid', 'currency']).doUpdateSet((row) => ({
        beganAt: look.beganAt,
        reachesFrom: look.reachesFrom,
        resumption: row.fn.coalesce(row.val(look.resumption), 'listLooks.resumption'),
      })),
    )
    .execute();
}

/** The last look at each of these lists; those never looked at are left out. */
export async function looksAt(db: Database, keys: readonly WatchKey[]): Promise<ListLook[]> {
  return inChunks(keys, (some) =>
    db
      .selectFrom('listLooks')
      .selectAll()
      .where((row) =>
        row(
          row.refTuple('uid', 'currency'),
          'in',
          some.map(({ uid, currency }) => row.tuple(uid, currency)),
        ),
      )
      .execute(),
  );
}

/** Records how late an order came into a list, if none came later. */
export async function noteListLag(db: Database, lag: ListLag): Promise<void> {
  await db
    .insertInto('listLags')
    .values(lag)
    .onConflict((conflict) =>
      conflict.columns(['uid', 'currency']).doUpdateSet({ lagMs: lag.lagMs }).where('listLags.lagMs', '<', lag.lagMs),
    )
    .execute();
}

/** The longest that was seen of any list, ms; undefined: no order came late. */
export async function longestListLag(db: Database): Promise<number | undefined> {
  const { lagMs } = await db
    .selectFrom('listLags')
    .select(({ fn }) => fn.max<number | null>('lagMs').as('lagMs'))
    .executeTakeFirstOrThrow();
  return lagMs ?? undefined;
}

/** Enough orders to tell whether a list is up to date. */
const ACCEPTED_MAX = 50;

/**
 * Ids of payments of a user and a currency that were sent between two times (epoch ms) and that the bank has accepted, or has shown
 * after their answers were lost: the last few of them. `completedFrom`: those that are completed only if they were sent since then.
 */
export async function acceptedIn(
  db: Database,
  { uid, currency }: WatchKey,
  { from, to, completedFrom }: { from: number; to: number; completedFrom: number },
): Promise<string[]> {
  const accepted = await db
    .selectFrom('sendAttempts')
    // In this order: SQLite would begin with all payouts of the user.
    .crossJoin('payouts')
    .select(({ fn }) => fn.coalesce('sendAttempts.orderId', 'payouts.orderId').as('orderId'))
    .whereRef('payouts.reference', '=', 'sendAttempts.reference')
    .where('sendAttempts.sentAt', '>=', from)
    .where('sendAttempts.sentAt', '<=', to)
    .where((row) => row.or([row('sendAttempts.outcome', '=', 'accepted'), row('payouts.orderId', 'is not', null)]))
    .where((row) =>
      row.or([
        row('payouts.state', 'in', ['processing', 'awaiting-bank-approval']),
        row.and([row('payouts.state', '=', 'completed'), row('sendAttempts.sentAt', '>=', completedFrom)]),
      ]),
    )
    .where('payouts.uid', '=', uid)
    .where('payouts.currency', '=', currency)
    .where('payouts.kind', '=', 'payout')
    .orderBy('sendAttempts.sentAt', 'desc')
    .limit(ACCEPTED_MAX)
    .execute();
  return accepted.flatMap(({ orderId }) => orderId ?? []);
}
