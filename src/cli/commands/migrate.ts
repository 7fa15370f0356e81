import { storeLocation } from '../../store/engine/store-url.ts';
import { migrateStore } from '../../store/open.ts';
import { nameOfDatabase } from '../../store/restored-database.ts';
import type { Session } from '../session.ts';

/** `payouts migrate`: makes or updates the tables of the store, with the role that owns them; what is there stays. */
export async function migrate({ config, output }: Session): Promise<void> {
  const url = config.storeUrl.reveal();
  const migrations = await migrateStore(url);
  const place = storeLocation(url);
  const store = place.kind === 'file' ? place.path : nameOfDatabase(url);
  output.result(
    { migrate: { store, migrations } },
    `${store}: the tables are those of this version (${migrations.at(-1)}).`,
  );
}
