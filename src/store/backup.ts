import { randomUUID } from 'node:crypto';
import { existsSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { asStoreFileError, copyStoreFile, inspectStoreFile, type StoreFileFacts } from './engine/store-file.ts';
import { sync } from './engine/synced.ts';
import { StoreFileError } from './errors.ts';

export type BackupStep = 'copied' | 'checked' | 'written';

interface BackupOrder {
  /** The store's file; other processes may be using it. */
  store: string;
  /** Target of the copy. It appears by rename: a file of this name is a good copy. */
  file: string;
  reached?: (step: BackupStep) => void;
}

/** @throws StoreFileError if there is no store, the file exists, or the copy is not good */
export async function backupStore({ store, file, reached = () => {} }: BackupOrder): Promise<StoreFileFacts> {
  assertFree(file);
  const fresh = `${file}.${randomUUID()}.partial`;
  try {
    copyStoreFile(store, fresh);
    reached('copied');
    const facts = await inspectStoreFile(fresh, store);
    reached('checked');
    assertFree(file);
    renameSync(fresh, file);
    sync(dirname(file));
    reached('written');
    return facts;
  } catch (error) {
    rmSync(fresh, { force: true });
    throw asStoreFileError(error, file);
  }
}

function assertFree(file: string): void {
  if (!existsSync(file)) return;
  throw new StoreFileError('file-exists', `${file} exists`, 'Name another file, or move that one away first.');
}
