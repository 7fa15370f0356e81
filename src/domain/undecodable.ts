/**
 * Placeholder for a payload that the codec did not accept. An exception in a codec blocks a workflow for ever
 * (sdk-typescript#1139), and anybody who can write to the namespace can send such a payload: it becomes a value, which the
 * receiver drops.
 */

/**
 * `clear`: not encrypted. `unknown-key`: encrypted with a key that is not in the ring. `broken`: cannot be opened with its key.
 * `elsewhere`: encrypted for another workflow or namespace. `unreadable`: the decrypted bytes hold no value.
 */
export type Undecodable = 'clear' | 'unknown-key' | 'broken' | 'elsewhere' | 'unreadable';

/** Failure type of errors about such a payload. */
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

/** What is wrong with the first undecodable value, as the end of a sentence; undefined if all were decoded. */
export function undecodableIn(values: readonly unknown[]): string | undefined {
  for (const value of values) {
    if (typeof value !== 'object' || value === null || !(MEMBER in value)) continue;
    const why = value[MEMBER as keyof typeof value] as Undecodable;
    return MEANINGS[why] ?? MEANINGS.broken;
  }
  return undefined;
}
