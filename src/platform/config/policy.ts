import { readFileSync, statSync } from 'node:fs';
import type { Policy } from '../../domain/authority.ts';
import { parsePolicy } from '../../people/policy-file.ts';
import { ConfigError } from './config-error.ts';
import { writableByOthers } from './file-access.ts';

/** What a changed policy file led to. */
export type PolicyNews =
  | { kind: 'in-force'; policy: Policy }
  /** It is unusable, and the previous policy stays in force. */
  | { kind: 'refused'; why: string; inForce: Policy };

/** At most this often, when the policy is asked for, the file is checked for a change. */
const LOOK_EVERY_MS = 1_000;

/**
 * The policy in the file named by `PAYOUTS_POLICY`, read again when the file changes: a person removed from it may do nothing
 * from the next check on.
 */
export class PolicyFile {
  readonly #path: string;
  readonly #listeners: ((news: PolicyNews) => void)[] = [];
  #policy: Policy;
  #stamp: string;
  #lookedAt = performance.now();
  #refused: string | undefined;

  /** Throws a `ConfigError` if the file is unusable. */
  constructor(path: string) {
    this.#path = path;
    this.#stamp = stampOf(path);
    const read = readPolicy(path);
    if ('refused' in read) throw new ConfigError('PAYOUTS_POLICY', read.refused, read.hint);
    this.#policy = read.policy;
  }

  /** The policy in force. `at`: monotonic ms. */
  current(at = performance.now()): Policy {
    if (at - this.#lookedAt >= LOOK_EVERY_MS) {
      this.#lookedAt = at;
      this.#look();
    }
    return this.#policy;
  }

  onNews(listener: (news: PolicyNews) => void): void {
    this.#listeners.push(listener);
  }

  #look(): void {
    const stamp = stampOf(this.#path);
    // An unusable file is read again even if unchanged: it may have been read while it was being written.
    if (stamp === this.#stamp && this.#refused === undefined) return;
    const read = readPolicy(this.#path);
    this.#stamp = stamp;
    if ('refused' in read) {
      if (read.refused !== this.#refused) this.#tell({ kind: 'refused', why: read.refused, inForce: this.#policy });
      this.#refused = read.refused;
      return;
    }
    const isOther = read.policy.hash !== this.#policy.hash;
    this.#refused = undefined;
    this.#policy = read.policy;
    if (isOther) this.#tell({ kind: 'in-force', policy: read.policy });
  }

  #tell(news: PolicyNews): void {
    for (const listener of this.#listeners) listener(news);
  }
}

/** Changes whenever the file is written, replaced or removed. */
function stampOf(path: string): string {
  const stat = statSync(path, { throwIfNoEntry: false });
  return stat === undefined ? '' : [stat.mtimeMs, stat.ctimeMs, stat.size, stat.ino].join(' ');
}

function readPolicy(path: string): { policy: Policy } | { refused: string; hint: string } {
  const writable = writableByOthers(path);
  if (writable !== undefined) {
    return { refused: `names ${writable}: it says who may move money`, hint: 'Run chmod go-w on it.' };
  }
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch {
    return { refused: 'names a file that cannot be read', hint: 'Check the path and its permissions.' };
  }
  const read = parsePolicy(text);
  if ('policy' in read) return read;
  const [first] = read.problems;
  return {
    refused: `names a policy that cannot be used (${first})`,
    hint: 'payouts policy check FILE lists all its problems.',
  };
}
