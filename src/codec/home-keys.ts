import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { KEY_BYTES, type KeyRing, parseKeyRing } from './key-ring.ts';

/** Keys of the embedded Temporal server, in the home that its database is in too; as PAYOUTS_CODEC_KEYS has them. */
const KEY_FILE = 'codec-keys';
const ID_BYTES = 4;

/** The ring of a home, made at first use. Of two that make one at once both get the same. */
export function keyRingOfHome(home: string): KeyRing {
  return ringIn(home) ?? makeRing(home);
}

function makeRing(home: string): KeyRing {
  mkdirSync(home, { recursive: true, mode: 0o700 });
  const text = `home-${randomBytes(ID_BYTES).toString('hex')}:${randomBytes(KEY_BYTES).toString('base64')}`;
  try {
    writeFileSync(join(home, KEY_FILE), `${text}\n`, { mode: 0o600, flag: 'wx' });
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw error;
  }
  return ringIn(home) ?? parseKeyRing(text);
}

function ringIn(home: string): KeyRing | undefined {
  try {
    return parseKeyRing(readFileSync(join(home, KEY_FILE), 'utf8').trim());
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw error;
  }
}

const hasCode = (error: unknown, code: string): boolean =>
  error instanceof Error && 'code' in error && error.code === code;
