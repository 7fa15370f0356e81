import { randomUUID } from 'node:crypto';
import { StoreIdentityError } from './errors.ts';
import type { Database } from './schema.ts';
import type { StoreIdentity } from './store.ts';

const PARTS = ['bank', 'namespace'] as const;

export async function identify(db: Database, given: StoreIdentity): Promise<void> {
  await db
    .insertInto('meta')
    .values(PARTS.map((key) => ({ key, value: given[key] })))
    .onConflict((conflict) => conflict.column('key').doNothing())
    .execute();
  const recorded = await identity(db);
  for (const part of PARTS) {
    if (recorded !== undefined && recorded[part] !== given[part]) {
      throw new StoreIdentityError(part, recorded[part], given[part]);
    }
  }
}

/** The store's own id, made by whoever opens the store first. */
export async function storeId(db: Database): Promise<string> {
  await db
    .insertInto('meta')
    .values({ key: 'store', value: randomUUID() })
    .onConflict((conflict) => conflict.column('key').doNothing())
    .execute();
  // Read and not returned from the insert: of two at once the other one's may be there.
  const { value } = await db.selectFrom('meta').select('value').where('key', '=', 'store').executeTakeFirstOrThrow();
  return value;
}

export async function identity(db: Database): Promise<StoreIdentity | undefined> {
  const rows = await db.selectFrom('meta').selectAll().where('key', 'in', PARTS).execute();
  const { bank, namespace } = Object.fromEntries(rows.map(({ key, value }) => [key, value]));
  return bank === undefined || namespace === undefined ? undefined : { bank, namespace };
}
