import { createSecretKey, type KeyObject } from 'node:crypto';

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

export const KEY_BYTES = 32;
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
