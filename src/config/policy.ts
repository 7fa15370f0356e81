import { readFileSync } from 'node:fs';
import type { Policy } from '../domain/authority.ts';
import { parsePolicy } from '../policy/policy-file.ts';
import { ConfigError } from './config-error.ts';

/** The policy in the file that `PAYOUTS_POLICY` names. Throws a `ConfigError` when it cannot be used. */
export function loadPolicy(path: string): Policy {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch {
    throw new ConfigError('PAYOUTS_POLICY', 'names a file that cannot be read', 'Check the path and its permissions.');
  }
  const read = parsePolicy(text);
  if ('policy' in read) return read.policy;
  const [first] = read.problems;
  throw new ConfigError(
    'PAYOUTS_POLICY',
    `names a policy that cannot be used (${first})`,
    'payouts policy check FILE lists everything that is wrong with one.',
  );
}
