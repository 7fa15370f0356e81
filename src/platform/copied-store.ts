import { dirname } from 'node:path';
import { storeIdIn } from '../store/engine/store-file.ts';
import type { Store } from '../store/store.ts';
import { readWitness } from '../store/witness.ts';
import type { Config } from './config.ts';
import { StackError } from './embedded/stack-error.ts';
import { fileMark, placeOf, type StorePlace, thisProcess } from './this-process.ts';

/**
 * Refuses a store file that is a copy of one that is still where it was last used on this machine: each of the two would pay what
 * is open. PostgreSQL, and an original that cannot be read, say nothing here.
 *
 * @throws StackError `stack-copied`
 */
export async function assertNoCopy(
  config: Pick<Config, 'storeUrl' | 'witnessFolder'>,
  store: Pick<Store, 'id' | 'senders' | 'databaseMark'>,
): Promise<void> {
  const own = await placeOf(config, store);
  if (own.file === null) return;
  const witness = readWitness(config.witnessFolder, store.id);
  const [last] = await store.senders();
  const { machine } = thisProcess();
  for (const place of [witness?.place, last?.machine === machine ? last.place : undefined]) {
    if (place !== undefined && (await isOriginal(place, own, store.id)))
      throw isCopied(dirname(own.file), dirname(place));
  }
}

async function isOriginal(path: string, own: StorePlace, storeId: string): Promise<boolean> {
  const mark = fileMark(path);
  if (mark === '' || mark === own.placeMark) return false;
  return (await storeIdIn(path).catch(() => undefined)) === storeId;
}

const isCopied = (copy: string, original: string): StackError =>
  new StackError(
    'copied',
    `the store in ${copy} is a copy of the one in ${original}, which is still there, and both would pay what is open: nothing is sent`,
    `Use the original: PAYOUTS_HOME=${original}. If the copy is to take its place, move ${original} away first.`,
  );
