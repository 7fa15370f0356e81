import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Problem } from '../../domain/problem.ts';
import { createSecretFile, readSecretFile } from '../secret-file.ts';
import { KEY_BYTES, type KeyRing, parseKeyRing } from './key-ring.ts';

/** Keys for the embedded Temporal server, in the same home as its database; same format as PAYOUTS_CODEC_KEYS. */
const KEY_FILE = 'codec-keys';
/** The database of the embedded Temporal server, whose payloads these keys encrypt. */
export const TEMPORAL_FILE = 'temporal.sqlite';
const ID_BYTES = 4;

/**
 * The key ring of a home, created at first use. If two processes create it at the same time, both get the same.
 *
 * @throws Problem if the file is not a key ring, or if the database exists but its keys do not: new keys could read none of its
 * payouts
 */
export function keyRingOfHome(home: string): KeyRing {
  // Checked first: whoever creates both creates the keys before the database.
  const isInUse = existsSync(join(home, TEMPORAL_FILE));
  const file = join(home, KEY_FILE);
  const text = readSecretFile(file);
  if (text === undefined && isInUse) throw keysMissing(file);
  return ringIn(file, text ?? createSecretFile(file, `${newKey()}\n`));
}

function keysMissing(file: string): Problem {
  const why = `${file} is missing: ${TEMPORAL_FILE} is encrypted by it.`;
  return new Problem('set-up', 'codec-keys-missing', why, {
    hint: `Put it back. If it is lost, move ${TEMPORAL_FILE}* away, then run payouts doctor --accept temporal: open payouts are started again from the store.`,
  });
}

const newKey = (): string =>
  `home-${randomBytes(ID_BYTES).toString('hex')}:${randomBytes(KEY_BYTES).toString('base64')}`;

function ringIn(file: string, text: string): KeyRing {
  try {
    return parseKeyRing(text.trim());
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new Problem('set-up', 'codec-keys-broken', `${file} ${error.message}.`, {
      hint: 'Restore it from a copy: what it has encrypted cannot be read without it.',
    });
  }
}
