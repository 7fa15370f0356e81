import { inChunks } from './chunks.ts';
import type { Database } from './database.ts';
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
