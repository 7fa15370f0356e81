import type { ActivityDeps } from '../services/deps.ts';
import type { OpenSet } from '../services/sending/open-set.ts';

/** A watch that has not swept for this long counts as gone. */
export const watchLeaseMs = ({ settings }: Pick<ActivityDeps, 'settings'>): number =>
  Math.max(30_000, settings.sweepMaxMs * 3);

/** Where orders are put that their watches have to know of. */
export const openSet = (deps: ActivityDeps): OpenSet => ({
  store: deps.store,
  now: deps.now,
  wakeWatch: deps.executions.wakeWatch,
  watchLeaseMs: watchLeaseMs(deps),
});
