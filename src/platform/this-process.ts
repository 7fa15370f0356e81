import { hash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { hostname } from 'node:os';
import { resolve } from 'node:path';
import type { Sender } from '../domain/store-past.ts';
import { storeLocation } from '../store/engine/store-url.ts';
import type { Store } from '../store/store.ts';
import type { Config } from './config.ts';
import { processMark } from './embedded/process-mark.ts';

/** Where a store is: its path or name, and what tells it from its copies. */
export type StorePlace = Pick<Sender, 'place' | 'placeMark'> & {
  /** Path of the SQLite file; null for PostgreSQL. */
  file: string | null;
};

export async function placeOf(
  config: Pick<Config, 'storeUrl'>,
  store: Pick<Store, 'databaseMark'>,
): Promise<StorePlace> {
  const location = storeLocation(config.storeUrl.reveal());
  if (location.kind === 'file') {
    const file = resolve(location.path);
    return { file, place: file, placeMark: fileMark(file) };
  }
  const { name, mark } = await store.databaseMark();
  return { file: null, place: name, placeMark: mark };
}

/** Tells a file from its copies: a copy has another inode, or was created at another time. Empty: there is no such file. */
export function fileMark(path: string): string {
  const found = statSync(path, { throwIfNoEntry: false });
  return found === undefined ? '' : `${found.ino}:${Math.trunc(found.birthtimeMs)}`;
}

/** This process and the machine it runs on, as others recognise them. */
export const thisProcess = (): Pick<Sender, 'machine' | 'boot' | 'pid' | 'processMark'> => ({
  machine: hash('sha256', read('/etc/machine-id') ?? hostname()).slice(0, 12),
  boot: read('/proc/sys/kernel/random/boot_id') ?? '',
  pid: process.pid,
  processMark: processMark(process.pid) ?? '',
});

function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8').trim() || undefined;
  } catch {
    return undefined;
  }
}
