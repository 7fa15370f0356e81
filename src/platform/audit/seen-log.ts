import { Problem } from '../../domain/problem.ts';
import { parseCheckpoint, type SignedCheckpoint } from '../../store/audit/checkpoint.ts';
import type { Store } from '../../store/store.ts';
import { readSeenLog, seenLogFile, writeSeenLog } from '../../store/witness.ts';

/**
 * What this machine remembers of a store's audit log, outside of the store: whoever can write the store cannot cut its log back
 * unnoticed. `folder`: undefined where nothing is remembered.
 */
export function seenLog(folder: string | undefined, { id }: Pick<Store, 'id'>): SignedCheckpoint | undefined {
  const note = folder === undefined ? undefined : readSeenLog(folder, id);
  return note === undefined ? undefined : parseCheckpoint(note);
}

/** Remembers the largest. A machine that cannot is told so by `payouts doctor`. */
export function rememberLog(folder: string | undefined, { id }: Pick<Store, 'id'>, note: string): void {
  const size = parseCheckpoint(note)?.size ?? 0;
  if (folder === undefined || size <= (seenLog(folder, { id })?.size ?? -1)) return;
  try {
    writeSeenLog(folder, id, note);
  } catch {
    // The log is signed all the same.
  }
}

/**
 * Why a log of this size does not reach as far as this machine has seen it, as a clause; undefined: it does. Read `seen` before the
 * size: the log only grows.
 */
export const whyShorter = (seen: SignedCheckpoint | undefined, size: number): string | undefined =>
  seen === undefined || seen.size <= size
    ? undefined
    : `it has ${size} entries, but this machine has seen ${seen.size}`;

/** What to do about a log that is shorter than it was. */
export const ifRestored = (folder: string, { id }: Pick<Store, 'id'>): string =>
  `If the store was put back on purpose, move ${seenLogFile(folder, id)} aside; else somebody has cut the log back.`;

/** The signer signs nothing until people have looked. */
export const shortenedLog = (why: string, hint: string): Problem =>
  new Problem('refused', 'audit-cut', `The audit log was cut back: ${why}. Nothing was signed.`, { hint });
