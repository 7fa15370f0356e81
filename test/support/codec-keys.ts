import { type KeyRing, parseKeyRing } from '../../src/platform/codec/keys.ts';

/** The text of a key whose bytes are all the same. */
export const codecKey = (id = 'test', byte = 1): string => `${id}:${Buffer.alloc(32, byte).toString('base64')}`;

/** A ring of such keys, the first one in use. */
export const codecKeys = (...keys: string[]): KeyRing =>
  parseKeyRing((keys.length === 0 ? [codecKey()] : keys).join(','));
