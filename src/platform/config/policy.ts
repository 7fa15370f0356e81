import { readFileSync, realpathSync, type Stats, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { Policy } from '../../domain/authority.ts';
import { plainText } from '../../domain/plain-text.ts';
import { parsePolicy } from '../../people/policy-file.ts';
import { HOLDINGS } from './holdings.ts';
import { ConfigError, type Environment, key } from './key.ts';
import { flag } from './values.ts';

export const FILE_ACCESS_KEYS = {
  PAYOUTS_ALLOW_READABLE_KEYS: key(
    flag,
    'false',
    'allow files of private keys that other users of this machine can read or replace, as where containers mount them under another user',
  ),
} as const;

const GROUP_READ = 0o040;
const OTHERS_READ = 0o004;
const OTHERS_WRITE = 0o022;
/** In a folder with this bit, as /tmp, nobody replaces a file of another user. */
const STICKY = 0o1000;

/** Settings that name the file of a private or secret key. */
const KEY_FILES = [
  'PAYOUTS_SIGNING_KEY_FILE',
  'PAYOUTS_AUDIT_KEY_FILE',
  'PAYOUTS_CODEC_KEYS_FILE',
  'PAYOUTS_BANK_READS_KEY_FILE',
  'PAYOUTS_GATEWAY_TLS_KEY',
  'TEMPORAL_TLS_CLIENT_KEY_PATH',
];

interface FileAccessValues {
  PAYOUTS_ALLOW_READABLE_KEYS: boolean;
}

/** Throws a `ConfigError` for a key file that others can read, unless the setting allows it. */
export function assertKeysPrivate(env: Environment, { PAYOUTS_ALLOW_READABLE_KEYS: allowed }: FileAccessValues): void {
  if (allowed) return;
  for (const name of KEY_FILES) {
    const path = env[name];
    if (path) assertKeyPrivate(name, path);
  }
}

/**
 * Throws a `ConfigError` for a key file that others can read, or replace. A group may read a file of another user: Kubernetes and
 * systemd hand secrets over like that. `name`: the setting or option that names the file.
 */
export function assertKeyPrivate(name: string, path: string): void {
  const mode = readableMode(path);
  const folder = mode === undefined ? sharedFolder(path) : undefined;
  if (mode === undefined && folder === undefined) return;
  const [found, remedy] =
    folder === undefined
      ? [`the file of a key that other users can read (mode ${mode})`, 'Run chmod 600 on it']
      : [`a key ${folder.says}`, folder.remedy];
  throw new ConfigError(
    name,
    `names ${found}`,
    `${remedy}; PAYOUTS_ALLOW_READABLE_KEYS=true allows it where only a container sees the file.`,
  );
}

/** A sentence for each file of another secret that others can read. */
export const readableSecrets = (
  env: Environment,
  { PAYOUTS_ALLOW_READABLE_KEYS: allowed }: FileAccessValues,
): string[] =>
  (allowed ? [] : Object.keys(HOLDINGS))
    .map((name) => `${name}_FILE`)
    .filter((name) => !KEY_FILES.includes(name))
    .flatMap((name) => {
      const mode = env[name] && readableMode(env[name]);
      return mode ? [`${name} names a file that other users can read (mode ${mode}); run chmod 600 on it.`] : [];
    });

/** Undefined if only those can read the file who should. */
function readableMode(path: string): string | undefined {
  const stat = statOf(path);
  if (stat === undefined) return undefined;
  const tooMuch = OTHERS_READ | (stat.uid === process.getuid?.() ? GROUP_READ : 0);
  return (stat.mode & tooMuch) === 0 ? undefined : modeOf(stat);
}

/** What lets others change a file, and what ends it. */
interface Writable {
  /** After "is" or "names". */
  says: string;
  remedy: string;
}

/** Why nobody may rely on what the file says: others can write or replace it. Undefined: they cannot, or there is no such file. */
export function writableByOthers(path: string): Writable | undefined {
  const stat = statOf(path);
  if (stat !== undefined && (stat.mode & OTHERS_WRITE) !== 0)
    return {
      says: `a file that users other than its owner can write (mode ${modeOf(stat)})`,
      remedy: 'Run chmod go-w on it',
    };
  const folder = stat && sharedFolder(path);
  return folder && { says: `a file ${folder.says}`, remedy: folder.remedy };
}

/** The folder in which others can put another file, or folder, in the place of this one; also of what a link leads to. */
function sharedFolder(path: string): Writable | undefined {
  // A pipe of the shell has a path and no place.
  if (statOf(path)?.isFile() !== true) return undefined;
  const folders = [resolve(path), realpathSync(path)].flatMap(foldersOf);
  for (const folder of folders) {
    const stat = statOf(folder);
    if (stat !== undefined && (stat.mode & OTHERS_WRITE) !== 0 && (stat.mode & STICKY) === 0)
      return {
        says: `in a folder that users other than its owner can write: ${folder} (mode ${modeOf(stat)})`,
        remedy: `Run chmod go-w on ${folder}`,
      };
  }
  return undefined;
}

/** The folder of a file, the folder of that, up to the root. */
function foldersOf(path: string): string[] {
  const folder = dirname(path);
  return folder === path ? [] : [folder, ...foldersOf(folder)];
}

const modeOf = ({ mode }: Stats): string => `0${(mode & 0o777).toString(8)}`;

/** Undefined on Windows too, where modes say nothing. */
const statOf = (path: string): Stats | undefined =>
  process.platform === 'win32' ? undefined : statSync(path, { throwIfNoEntry: false });

/** What a changed policy file led to. */
export type PolicyNews =
  | { kind: 'in-force'; policy: Policy }
  /** It is unusable, and the previous policy stays in force. */
  | { kind: 'refused'; why: string; inForce: Policy };

/** At most this often, when the policy is asked for, the file is checked for a change. */
const POLL_MS = 1_000;

/**
 * The policy in the file named by `PAYOUTS_POLICY`, read again when the file changes: a person removed from it may do nothing
 * from the next check on.
 */
export class PolicyFile {
  readonly #path: string;
  readonly #listeners: ((news: PolicyNews) => void)[] = [];
  #policy: Policy;
  #stamp: string;
  #readAt = performance.now();
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
    if (at - this.#readAt >= POLL_MS) {
      this.#readAt = at;
      this.#reread();
    }
    return this.#policy;
  }

  onNews(listener: (news: PolicyNews) => void): void {
    this.#listeners.push(listener);
  }

  #reread(): void {
    const stamp = stampOf(this.#path);
    // An unusable file is read again even if unchanged: it may have been read while it was being written.
    if (stamp === this.#stamp && this.#refused === undefined) return;
    const read = readPolicy(this.#path);
    this.#stamp = stamp;
    if ('refused' in read) {
      if (read.refused !== this.#refused) this.#announce({ kind: 'refused', why: read.refused, inForce: this.#policy });
      this.#refused = read.refused;
      return;
    }
    const isOther = read.policy.hash !== this.#policy.hash;
    this.#refused = undefined;
    this.#policy = read.policy;
    if (isOther) this.#announce({ kind: 'in-force', policy: read.policy });
  }

  #announce(news: PolicyNews): void {
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
    return { refused: `names ${writable.says}; it says who may move money`, hint: `${writable.remedy}.` };
  }
  let text: string;
  try {
    text = plainText(readFileSync(path));
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
