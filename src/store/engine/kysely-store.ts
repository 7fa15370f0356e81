import * as cardRepositories from '../card-repositories.ts';
import { storeId } from '../identity.ts';
import * as repositories from '../repositories.ts';
import { repository } from '../repository.ts';
import type { Store } from '../store.ts';
import type { Database } from './database.ts';

/** The store over an open, migrated database; `close` closes the database. */
export async function createStore(db: Database): Promise<Store> {
  return {
    ...repository(db, repositories),
    id: await storeId(db),
    cards: repository(db, cardRepositories),
    close: () => db.destroy(),
  };
}
