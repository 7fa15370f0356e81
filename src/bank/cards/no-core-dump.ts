import { writeFileSync } from 'node:fs';

/**
 * Selects which memory of this process core dumps contain (core(5)). A limit of their size could only be set by whoever starts
 * the process.
 */
const FILTER = '/proc/self/coredump_filter';

/**
 * From now on, core dumps of this process and its children contain none of their memory. Returns `false` on systems without this
 * filter: there `ulimit -c 0` is needed before the start.
 */
export function leaveNoCoreDump(): boolean {
  try {
    writeFileSync(FILTER, '0');
    return true;
  } catch {
    return false;
  }
}
