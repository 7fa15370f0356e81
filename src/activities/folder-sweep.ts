import type { FolderOrder, Sweep } from '../domain/folder-sweep.ts';
import { withHeartbeats } from './heartbeats.ts';

/** `sweep` is given: activities do not read files of payouts. */
export const folderActivities = (sweep: (order: FolderOrder) => Promise<Sweep>) => ({
  /** One pass over a drop folder that this worker sees. Safe to repeat: a file is taken once. */
  sweepFolder: (order: FolderOrder): Promise<Sweep> => withHeartbeats(() => sweep(order)),
});

export type FolderActivities = ReturnType<typeof folderActivities>;
