import { writeFileSync } from 'node:fs';

/** Which memory of this process a core dump has (core(5)). A limit of its size would be set by whoever starts the process. */
const FILTER = '/proc/self/coredump_filter';

/**
 * From here on a core dump of this process, and of what it starts, has none of its memory. Where the system has no such
 * filter, `false`: there `ulimit -c 0` before the start is the way.
 */
export function leaveNoCoreDump(): boolean {
  try {
    writeFileSync(FILTER, '0');
    return true;
  } catch {
    return false;
  }
}
