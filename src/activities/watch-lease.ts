import type { ActivityDeps } from './deps.ts';

/** A watch that has not swept for this long counts as gone. */
export const watchLeaseMs = ({ settings }: Pick<ActivityDeps, 'settings'>): number =>
  Math.max(30_000, settings.sweepMaxMs * 3);
