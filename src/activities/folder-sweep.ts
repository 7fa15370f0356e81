import type { Sweep, SweepOptions } from '../domain/folder-sweep.ts';
import { withHeartbeats } from './heartbeats.ts';

/** `sweep` is given: activities do not read files of payouts. */
export const folderActivities = (sweep: (options: SweepOptions) => Promise<Sweep>) => ({
  /** One pass over a drop folder that this worker sees. Safe to repeat: a file is taken once. */
  sweepFolder: (options: SweepOptions): Promise<Sweep> => withHeartbeats(() => sweep(options)),
});

export type FolderActivities = ReturnType<typeof folderActivities>;
