import { didYouMean } from '../rules/nearest.ts';
import type { Environment } from './key.ts';

/** Variables read by tests, and those that Kubernetes sets in every container for a Service called payouts-…. */
const NOT_OURS = /^PAYOUTS_(?:(?:TEST|CONTRACT)_|\w+_SERVICE_(?:HOST$|PORT)|\w+_PORT(?:$|_\d+_))/;

/**
 * A sentence for each PAYOUTS_* variable that is not a setting: with a misspelled name, a default would stay in force unnoticed.
 */
export function unknownKeys(env: Environment, known: readonly string[]): string[] {
  const read = new Set(known.flatMap((name) => [name, `${name}_FILE`]));
  const given = Object.keys(env).filter((name) => name.startsWith('PAYOUTS_') && env[name]);
  const unknown = given.filter((name) => !read.has(name) && !NOT_OURS.test(name));
  return unknown.sort().map((name) => `${name} is no setting and has no effect.${didYouMean(name, read)}`);
}
