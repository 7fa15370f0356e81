import { ApplicationFailure } from '@temporalio/common';
import type { FolderScan, FolderScanOptions } from '../domain/scanned-folder.ts';
import { withHeartbeats } from './bound.ts';

/**
 * `scan` is passed in because activities do not read payout files. `folders`: absolute paths of the folders that this worker
 * processes. Anyone who can write to the namespace can name any folder of its disk, so that no other one is touched.
 */
export const folderActivities = (
  folders: readonly string[],
  scan: (options: FolderScanOptions) => Promise<FolderScan>,
) => ({
  /** One pass over a drop folder that this worker can access. Safe to repeat: a file is taken only once. */
  async scanFolder(options: FolderScanOptions): Promise<FolderScan> {
    if (!folders.includes(options.dir)) {
      const why = 'PAYOUTS_FOLDERS of this worker does not list the folder; nothing was read';
      throw ApplicationFailure.nonRetryable(why, 'FolderNotListed');
    }
    return withHeartbeats(() => scan(options));
  },
});

export type FolderActivities = ReturnType<typeof folderActivities>;
