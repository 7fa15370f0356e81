import * as cardRepositories from './card-repositories.ts';
import type { Database } from './database.ts';
import { forgetIdentity, storeId } from './identity.ts';
import * as repositories from './repositories.ts';
import { repository } from './repository.ts';
import type { Store } from './store.ts';

/** The store over an open, migrated database; `close` closes the database. */
export async function createStore(db: Database): Promise<Store> {
  const id = await storeId(db);
  return {
    ...repository(db, repositories),
    id,
    cards: repository(db, cardRepositories),
    forgetIdentity: (acceptance) => forgetIdentity(db, acceptance, id),
    close: () => db.destroy(),
  };
}
