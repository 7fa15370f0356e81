import { accessSync, constants, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Witness } from '../domain/store-past.ts';

/**
 * What a machine knows of a store outside of it, one file a store in a folder of the user: a copy that is put back does not put
 * this back, so it shows that the store went back in time. The path of the store is in it, and nothing else about it.
 */

const file = (folder: string, storeId: string): string => join(folder, `${storeId}.json`);

/** undefined if there is none that can be read. */
export function readWitness(folder: string, storeId: string): Witness | undefined {
  try {
    const { senderId, pulses, aliveAt, place } = JSON.parse(readFileSync(file(folder, storeId), 'utf8'));
    const isOne =
      typeof senderId === 'string' &&
      typeof place === 'string' &&
      Number.isSafeInteger(pulses) &&
      Number.isSafeInteger(aliveAt);
    return isOne ? { senderId, pulses, aliveAt, place } : undefined;
  } catch {
    return undefined;
  }
}

/** Replaces the file as a whole. Throws where the folder cannot be written. */
export function writeWitness(folder: string, storeId: string, { senderId, pulses, aliveAt, place }: Witness): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const fresh = `${file(folder, storeId)}.${senderId}`;
  writeFileSync(fresh, `${JSON.stringify({ senderId, pulses, aliveAt, place })}\n`, { mode: 0o600 });
  renameSync(fresh, file(folder, storeId));
}

/** Whether notes can be kept in this folder, which is created if need be. */
export function canBeWitnessed(folder: string): boolean {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/** The last checkpoint of the store's audit log that this machine has signed or verified (`SignedCheckpoint.note`). */
export const seenLogFile = (folder: string, storeId: string): string => join(folder, `${storeId}.checkpoint`);

/** undefined if there is none that can be read. */
export function readSeenLog(folder: string, storeId: string): string | undefined {
  try {
    return readFileSync(seenLogFile(folder, storeId), 'utf8');
  } catch {
    return undefined;
  }
}

/** Replaces the file as a whole. Throws where the folder cannot be written. */
export function writeSeenLog(folder: string, storeId: string, note: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const place = seenLogFile(folder, storeId);
  const fresh = `${place}.${process.pid}`;
  writeFileSync(fresh, note, { mode: 0o600 });
  renameSync(fresh, place);
}

/** For a store that was put back on purpose. */
export const forgetSeenLog = (folder: string, storeId: string): void =>
  rmSync(seenLogFile(folder, storeId), { force: true });
