import { closeSync, fsyncSync, openSync } from 'node:fs';

/**
 * Syncs a file, or the names in a folder, to disk. Never for a database that this process has open: closing the descriptor would
 * drop SQLite's locks.
 */
export function sync(path: string): void {
  const descriptor = openSync(path, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
