import { dirname, join } from 'node:path';
import { isoOrNull } from '../../domain/display.ts';
import { bankIdentity } from '../../platform/config/bank.ts';
import type { Config } from '../../platform/config.ts';
import { recordedIdentity } from '../../store/engine/store-file.ts';
import { storeLocation } from '../../store/engine/store-url.ts';
import { nameOfDatabase } from '../../store/restore.ts';
import type { Store } from '../../store/store.ts';
import type { StoreUse } from './plan.ts';

/** Which store of which bank this is, and what it knows, for who is about to pay from it. */
export async function storeUseOf(config: Config, store: Pick<Store, 'extent'>): Promise<StoreUse> {
  const { batches, payouts, usedAt } = await store.extent();
  return {
    place: storeName(config),
    bank: bankIdentity(config),
    isNew: payouts === 0 && batches === 0,
    batches,
    lastUsedAt: isoOrNull(usedAt),
    otherHome: (await otherHomeOf(config)) ?? null,
  };
}

/** The home, or the file, or the database without user and password. */
function storeName({ home, storeUrl }: Pick<Config, 'home' | 'storeUrl'>): string {
  const location = storeLocation(storeUrl.reveal());
  if (location.kind === 'postgres') return nameOfDatabase(storeUrl.reveal());
  return location.path === join(home, 'store.sqlite') ? dirname(location.path) : location.path;
}

/** The home in the working directory, where it holds a store of the same bank that is not the one in use. */
export async function otherHomeOf({ bank, homeHere, storeUrl }: Config): Promise<string | undefined> {
  if (homeHere === undefined || bank.kind === 'sandbox') return undefined;
  const file = join(homeHere, 'store.sqlite');
  if (storeUrl.reveal() === `file:${file}`) return undefined;
  const recorded = await recordedIdentity(file).catch(() => undefined);
  return recorded?.bank === bank.url ? homeHere : undefined;
}
