import type { FolderScan, FolderScanOptions } from '../domain/scanned-folder.ts';
import { scans } from './proxies.ts';

/** One pass over a drop folder, started by a schedule: takes new files, reports ended batches. */
export async function folderScan(options: FolderScanOptions): Promise<FolderScan> {
  return scans.scanFolder.executeWithOptions({ summary: 'takes the files that are there' }, [options]);
}
