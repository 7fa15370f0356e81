import type { Sweep, SweepOptions } from '../domain/folder-sweep.ts';
import { sweeps } from './proxies.ts';

/** One pass over a drop folder, started by a schedule: takes new files, reports ended batches. */
export async function folderSweep(options: SweepOptions): Promise<Sweep> {
  return sweeps.sweepFolder.executeWithOptions({ summary: 'takes the files that are there' }, [options]);
}
