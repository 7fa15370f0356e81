import { type Hindrance, hindrancesOf, hindranceText, livenessOf } from '../domain/liveness.ts';
import type { StoreReader } from '../platform/app.ts';
import { startCommand } from '../platform/config/temporal.ts';

/** What is in the way of all payouts, by what workers wrote into the store; empty: nothing is known to be. */
export const hindrancesNow = async ({ config, store, now }: StoreReader): Promise<Hindrance[]> =>
  hindrancesOf(livenessOf(await store.signsOfLife(), now()), startCommand(config));

/**
 * The sentences above a page or a list. `seesAll`: whether the reader may know how many payouts there are. Nobody has to work while
 * nothing would go on.
 */
export async function hindranceTexts(app: StoreReader, { seesAll }: { seesAll: boolean }): Promise<string[]> {
  const found = await hindrancesNow(app);
  if (found.length === 0) return [];
  const moving = await app.store.countMoving();
  return found
    .filter(({ part }) => part !== 'workers' || moving > 0)
    .map((hindrance) => hindranceText(hindrance, seesAll && moving > 0 ? moving : undefined));
}
