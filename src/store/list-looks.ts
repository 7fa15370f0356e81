import { inChunks } from './chunks.ts';
import type { Database } from './database.ts';
import type { WatchKey } from './open-orders.ts';
import type { ListLook } from './shown-schema.ts';

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
