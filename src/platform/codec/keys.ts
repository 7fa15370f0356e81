import { createSecretKey, type KeyObject, randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Problem } from '../../domain/problem.ts';
import { createSecretFile, readSecretFile } from '../secret-file.ts';

/** The keys that encrypt what Temporal stores. */
export interface KeyRing {
  /** Encrypts; the others only decrypt older payloads. */
  current: CodecKey;
  find(id: string): CodecKey | undefined;
}

export interface CodecKey {
  /** In clear text beside everything that it encrypts; may be the name of a key in another system. */
  id: string;
  /** 256 bits. */
  key: KeyObject;
}

const KEY_BYTES = 32;
const ID = /^[A-Za-z0-9._/-]{1,128}$/;

/**
 * `id:base64,id:base64`, the current key first.
 *
 * @throws TypeError if it is not a key ring; the message repeats none of it
 */
export function parseKeyRing(text: string): KeyRing {
  const keys = text.split(',').map((entry, index) => parseKey(entry.trim(), index + 1));
  const byId = new Map(keys.map((key) => [key.id, key]));
  if (byId.size < keys.length) throw new TypeError('has two keys with the same id');
  const [current] = keys as [CodecKey];
  return { current, find: (id) => byId.get(id) };
}

function parseKey(entry: string, place: number): CodecKey {
  const colon = entry.indexOf(':');
  const [id, encoded] = [entry.slice(0, Math.max(colon, 0)), entry.slice(colon + 1)];
  if (!ID.test(id)) throw new TypeError(`has no id of letters, digits and ._/- at key ${place}: id:base64`);
  const bytes = Buffer.from(encoded, 'base64');
  // Node skips characters that are not base64: accept only what is encoded back to the same text.
  if (bytes.length !== KEY_BYTES || bytes.toString('base64') !== encoded) {
    throw new TypeError(`has no ${KEY_BYTES} bytes in base64 at key ${place} (openssl rand -base64 ${KEY_BYTES})`);
  }
  return { id, key: createSecretKey(bytes) };
}

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
  // Checked first: a process that creates both creates the keys before the database.
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
