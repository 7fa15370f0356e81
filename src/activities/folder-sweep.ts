import type { Sweep, SweepOptions } from '../domain/folder-sweep.ts';
import { withHeartbeats } from './heartbeats.ts';

/** `sweep` is passed in because activities do not read payout files. */
export const folderActivities = (sweep: (options: SweepOptions) => Promise<Sweep>) => ({
  /** One pass over a drop folder that this worker can access. Safe to repeat: a file is taken only once. */
  sweepFolder: (options: SweepOptions): Promise<Sweep> => withHeartbeats(() => sweep(options)),
});

export type FolderActivities = ReturnType<typeof folderActivities>;
