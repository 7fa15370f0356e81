import { type Stats, statSync } from 'node:fs';
import { ConfigError } from './config-error.ts';
import { HOLDINGS } from './holdings.ts';
import { type Environment, key } from './key.ts';
import { flag } from './values.ts';

export const FILE_ACCESS_KEYS = {
  PAYOUTS_ALLOW_READABLE_KEYS: key(
    flag,
    'false',
    'allow files of private keys that other users of this machine can read, as where containers mount them under another user',
  ),
} as const;

const GROUP_READ = 0o040;
const OTHERS_READ = 0o004;
const OTHERS_WRITE = 0o022;

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
 * Throws a `ConfigError` for a key file that others can read. A group may read a file of another user: Kubernetes and systemd
 * hand secrets over like that. `name`: the setting or option that names the file.
 */
export function assertKeyPrivate(name: string, path: string): void {
  const mode = readableMode(path);
  if (mode === undefined) return;
  throw new ConfigError(
    name,
    `names the file of a key that other users can read (mode ${mode})`,
    'Run chmod 600 on it; PAYOUTS_ALLOW_READABLE_KEYS=true allows it where only a container sees the file.',
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

/** Why nobody may rely on what the file says: others can write it. Undefined: they cannot, or there is no such file. */
export function writableByOthers(path: string): string | undefined {
  const stat = statOf(path);
  return stat !== undefined && (stat.mode & OTHERS_WRITE) !== 0
    ? `a file that users other than its owner can write (mode ${modeOf(stat)})`
    : undefined;
}

const modeOf = ({ mode }: Stats): string => `0${(mode & 0o777).toString(8)}`;

/** Undefined on Windows too, where modes say nothing. */
const statOf = (path: string): Stats | undefined =>
  process.platform === 'win32' ? undefined : statSync(path, { throwIfNoEntry: false });
