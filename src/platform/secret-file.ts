import { randomUUID } from 'node:crypto';
import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { hasCode } from '../domain/failures.ts';

/** Undefined if there is no such file. Throws if it cannot be read: that is not to be taken for a home without a key. */
export function readSecretFile(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw error;
  }
}

/** The text of the file, created for its owner alone if missing. All who create it at the same time get the same text. */
export function createSecretFile(path: string, text: string): string {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const whole = writeBeside(path, text);
  try {
    linkSync(whole, path);
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw error;
  } finally {
    rmSync(whole);
  }
  return readSecretFile(path) ?? text;
}

export function replaceSecretFile(path: string, text: string): void {
  renameSync(writeBeside(path, text), path);
}

/** Whole on disk before it gets its name, so that nobody reads a part of it. */
function writeBeside(path: string, text: string): string {
  const beside = `${path}.${randomUUID()}`;
  writeFileSync(beside, text, { mode: 0o600, flush: true });
  return beside;
}
