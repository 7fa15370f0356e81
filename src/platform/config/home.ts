import { createHash } from 'node:crypto';
import { homedir } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';
import type { BankConfig } from './bank.ts';
import type { Environment } from './key.ts';

/** The home in the working directory, which the sandbox uses. */
const LOCAL_HOME = '.payouts';

interface Home {
  /** Absolute path. */
  home: string;
  /** The home in the working directory, where the one of the bank is used instead of it without being asked for. */
  homeHere: string | undefined;
}

/**
 * Folder of databases and reports: as given; else in the working directory with the sandbox, and one per user and bank with a bank,
 * so that the same file run from another folder meets the same store.
 */
export function homeOf(given: string | undefined, bank: BankConfig, env: Environment): Home {
  if (given !== undefined) return { home: resolve(given), homeHere: undefined };
  const homeHere = resolve(LOCAL_HOME);
  if (bank.kind === 'sandbox') return { home: homeHere, homeHere: undefined };
  return { home: join(dataFolder(env), worldOf(bank.url)), homeHere };
}

/** Where this machine notes for this user, outside of every home, how far each store is. */
export const witnessFolderOf = (env: Environment): string =>
  join(ofUser(env.XDG_STATE_HOME, env, '.local/state'), 'durable-payouts');

const dataFolder = (env: Environment): string =>
  join(ofUser(env.XDG_DATA_HOME, env, '.local/share'), 'durable-payouts');

/**
 * Name for a bank: its host, and a digest of its whole URL. Not of the key: a new key of the same customer must meet the same
 * store, and the store refuses another customer's.
 */
function worldOf(url: string): string {
  const host = new URL(url).host.replaceAll(/[^a-z0-9.-]/g, '-');
  return `${host}-${createHash('sha256').update(url).digest('hex').slice(0, 8)}`;
}

/** As the XDG Base Directory Specification has it: the given folder if it is absolute, else the default in the user's. */
export const ofUser = (given: string | undefined, { HOME }: Environment, preset: string): string =>
  given !== undefined && isAbsolute(given) ? given : join(HOME || userHome(), preset);

/** A user without a name (a number in a container) has no home: what has no other place is then written nowhere. */
export function userHome(): string {
  try {
    return homedir();
  } catch {
    return '/';
  }
}
