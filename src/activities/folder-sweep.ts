import { ApplicationFailure } from '@temporalio/common';
import type { Sweep, SweepOptions } from '../domain/folder-sweep.ts';
import { withHeartbeats } from './bound.ts';

/**
 * `sweep` is passed in because activities do not read payout files. `folders`: absolute paths of the folders that this worker
 * processes. Whoever can write to the namespace names any folder of its disk, so that no other one is touched.
 */
export const folderActivities = (folders: readonly string[], sweep: (options: SweepOptions) => Promise<Sweep>) => ({
  /** One pass over a drop folder that this worker can access. Safe to repeat: a file is taken only once. */
  async sweepFolder(options: SweepOptions): Promise<Sweep> {
    if (!folders.includes(options.dir)) {
      const why = 'PAYOUTS_FOLDERS of this worker does not list the folder; nothing was looked at';
      throw ApplicationFailure.nonRetryable(why, 'FolderNotListed');
    }
    return withHeartbeats(() => sweep(options));
  },
});

export type FolderActivities = ReturnType<typeof folderActivities>;
