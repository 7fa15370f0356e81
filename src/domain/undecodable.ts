/**
 * What stands where a payload was that the codec did not take. An exception in a codec blocks a workflow for ever
 * (sdk-typescript#1139), so a payload of anybody who can write to the namespace becomes a value: whoever gets it drops it.
 */

/**
 * `clear`: not encrypted. `unknown-key`: with a key that is not in the ring. `broken`: it cannot be opened with that key.
 * `elsewhere`: made for another workflow or another namespace. `unreadable`: what was encrypted is no value.
 */
export type Undecodable = 'clear' | 'unknown-key' | 'broken' | 'elsewhere' | 'unreadable';

/** Type of the failures that name one. */
export const UNDECODABLE = 'Undecodable';

const MEMBER = 'durable-payouts/undecodable';

const MEANINGS: Readonly<Record<Undecodable, string>> = {
  clear: 'is not encrypted',
  'unknown-key': 'is encrypted with a key that PAYOUTS_CODEC_KEYS does not name',
  broken: 'cannot be decrypted',
  elsewhere: 'was encrypted for another workflow',
  unreadable: 'holds no value that can be read',
};

export const undecodable = (why: Undecodable): Readonly<Record<string, Undecodable>> => ({ [MEMBER]: why });

/** What is wrong with one of the values, as the end of a sentence; undefined: all were decoded. */
export function undecodableIn(values: readonly unknown[]): string | undefined {
  for (const value of values) {
    if (typeof value !== 'object' || value === null || !(MEMBER in value)) continue;
    const why = value[MEMBER as keyof typeof value] as Undecodable;
    return MEANINGS[why] ?? MEANINGS.broken;
  }
  return undefined;
}
