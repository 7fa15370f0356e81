import { readFileSync, realpathSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { causeOf } from '../../domain/causes.ts';
import { hasCode } from '../../domain/failures.ts';
import { didYouMean, nearest } from '../../domain/nearest.ts';
import { plainText } from '../../domain/plain-text.ts';
import { HOLDINGS } from './holdings.ts';
import { ofUser, userHome } from './home.ts';
import { ConfigError, type Environment, type Keys } from './key.ts';
import { writableByOthers } from './policy.ts';
import { folders, pathText, storeUrl } from './values.ts';

/**
 * Settings in files beside the environment, which wins: `payouts.toml` of the user, and of the working directory. A setting is
 * written in lower case without `PAYOUTS_`: `api_url = "https://bank.example.com"`; a profile is a table `[profiles.NAME]`.
 */

const CONFIG_FILE = 'payouts.toml';

export interface ConfigFile {
  kind: 'user' | 'folder';
  /** Absolute path. */
  path: string;
  /** The table that is read; undefined: what stands before the first table. */
  profile: string | undefined;
}

export interface GivenSettings {
  /** The environment and, where it has no value, that of a file. */
  env: Environment;
  /** The file of each variable in `env` that comes from one, `PAYOUTS_API_KEY_FILE` for example. */
  origins: ReadonlyMap<string, ConfigFile>;
  /** The files that are there. */
  files: readonly ConfigFile[];
  /** What cannot be used; those entries are not in `env`. */
  problems: readonly ConfigError[];
}

/**
 * What the file of a folder may set: a folder can come from anybody. Neither of them says where money or a secret goes, who may
 * move it, which store knows what was paid, or what people are shown before they decide.
 */
export const FOLDER_MAY_SET: readonly string[] = ['PAYOUTS_JOURNAL_ACCOUNTS', 'PAYOUTS_PAIN002_VERSION'];

/** Only in the environment: they say which file is read, and what of it. */
const ABOUT_FILES: ReadonlySet<string> = new Set(['PAYOUTS_CONFIG', 'PAYOUTS_PROFILE']);

/** Secrets of an address: with another address from the environment, those of a file are not used, or they would be sent there. */
const SECRETS_OF: Readonly<Record<string, readonly string[]>> = {
  PAYOUTS_API_URL: ['PAYOUTS_API_KEY', 'PAYOUTS_API_SECRET'],
  PAYOUTS_GATEWAY_URL: ['PAYOUTS_GATEWAY_TOKEN'],
  PAYOUTS_OIDC_ISSUER: ['PAYOUTS_OIDC_CLIENT_SECRET'],
};

/** Where the file of the user is; `PAYOUTS_CONFIG` names another one. */
export const userConfigPath = (env: Environment): string =>
  env.PAYOUTS_CONFIG
    ? resolve(env.PAYOUTS_CONFIG)
    : join(ofUser(env.XDG_CONFIG_HOME, env, '.config'), 'durable-payouts', CONFIG_FILE);

export const folderConfigPath = (): string => resolve(CONFIG_FILE);

/** The settings of the files that are there, and of the environment. `profile`: instead of `PAYOUTS_PROFILE`. */
export function givenBy(keys: Keys, environment: Environment, profile = environment.PAYOUTS_PROFILE): GivenSettings {
  const problems: ConfigError[] = [];
  if (environment.PAYOUTS_CONFIG_FILE) problems.push(new ConfigError('PAYOUTS_CONFIG_FILE', 'is no setting', NAMED_BY));
  const user: ConfigFile = { kind: 'user', path: userConfigPath(environment), profile: profile || undefined };
  const folder: ConfigFile = { kind: 'folder', path: folderConfigPath(), profile: undefined };
  const files = [folder, user].filter((file, index) => isFile(file.path) && (index > 0 || !isSame(file, user)));
  if (user.profile !== undefined && !files.includes(user)) {
    const rule = `names the profile ${user.profile}, but there is no ${user.path}`;
    problems.push(new ConfigError('PAYOUTS_PROFILE', rule, `payouts config set api_url URL --profile ${user.profile}`));
  }
  const env: Record<string, string | undefined> = { ...environment };
  const origins = new Map<string, ConfigFile>();
  for (const file of files) {
    const read = readConfigFile(keys, file, environment);
    problems.push(...read.problems);
    for (const [name, text] of read.texts) {
      const bare = name.replace(/_FILE$/, '');
      if (isGiven(environment, bare) || isGiven(env, bare) || isOfOtherAddress(environment, bare)) continue;
      env[name] = text;
      origins.set(name, file);
    }
  }
  return { env, origins, files, problems };
}

const NAMED_BY = 'PAYOUTS_CONFIG names the configuration file.';

/** Given empty counts as well: `PAYOUTS_API_URL=` turns the address of a file off. */
const isGiven = (env: Environment, bare: string): boolean =>
  env[bare] !== undefined || env[`${bare}_FILE`] !== undefined;

const isOfOtherAddress = (environment: Environment, bare: string): boolean =>
  Object.entries(SECRETS_OF).some(([address, secrets]) => secrets.includes(bare) && isGiven(environment, address));

/** Not `/dev/null`, which as PAYOUTS_CONFIG means none. */
const isFile = (at: string): boolean => statSync(at, { throwIfNoEntry: false })?.isFile() === true;

const isSame = (one: ConfigFile, other: ConfigFile): boolean =>
  isFile(other.path) && realpathSync(one.path) === realpathSync(other.path);

/** Variables, such as `PAYOUTS_API_URL`, and their texts. */
interface Read {
  texts: readonly (readonly [name: string, text: string])[];
  problems: readonly ConfigError[];
}

function readConfigFile(keys: Keys, file: ConfigFile, env: Environment): Read {
  try {
    if (file.kind === 'user') assertOwnFile(file.path);
    const { profiles = {}, ...outside } = parsedConfig(readText(file.path), file.path);
    if (file.kind === 'folder' && Object.keys(profiles).length > 0) {
      throw new ConfigError(file.path, 'has profiles, but is the file of a folder', 'Profiles are in your own file.');
    }
    const table = file.profile === undefined ? outside : profileOf(profiles, file);
    return entriesOf(keys, file, table, env);
  } catch (error) {
    if (error instanceof ConfigError) return { texts: [], problems: [error] };
    throw error;
  }
}

function entriesOf(keys: Keys, file: ConfigFile, table: Table, env: Environment): Read {
  const texts: (readonly [string, string])[] = [];
  const problems: ConfigError[] = [];
  for (const [written, value] of Object.entries(table)) {
    const name = settingName(written);
    const text = textOf(value);
    const problem = problemWith(keys, file, written, text);
    if (problem === undefined) texts.push([name, located(keys, name, text, dirname(file.path), env)]);
    else problems.push(new ConfigError(file.path, problem.rule, problem.hint));
  }
  return { texts, problems };
}

/** `api_url` -> `PAYOUTS_API_URL`, which may be written as well. */
export const settingName = (written: string): string => {
  const name = written.toUpperCase().replaceAll('-', '_');
  return name.startsWith('PAYOUTS_') ? name : `PAYOUTS_${name}`;
};

/** `PAYOUTS_API_URL` -> `api_url` */
export const writtenName = (name: string): string => name.replace(/^PAYOUTS_/, '').toLowerCase();

/** Why a file may not have such an entry. The text, which can be a secret, is never repeated. */
export function problemWith(
  keys: Keys,
  { kind }: Pick<ConfigFile, 'kind'>,
  written: string,
  text: string,
): { rule: string; hint: string } | undefined {
  const name = settingName(written);
  const bare = name.replace(/_FILE$/, '');
  if (ABOUT_FILES.has(bare)) {
    return { rule: `sets ${written}, which only the environment can`, hint: `Set ${bare} in the environment.` };
  }
  if (keys[name] === undefined && keys[bare] === undefined) {
    const known = Object.keys(keys).map(writtenName);
    const meant = nearest(writtenName(name), known);
    const hint = meant === undefined ? 'payouts config show --all lists the settings.' : `Did you mean ${meant}?`;
    return { rule: `sets ${written}, which is no setting`, hint };
  }
  if (kind === 'folder' && !FOLDER_MAY_SET.includes(name)) {
    const may = FOLDER_MAY_SET.map(writtenName).join(', ');
    return {
      rule: `sets ${written}, which the file of a folder may not: a folder can come from anybody`,
      hint: `Set it in your own file: payouts config set ${written} VALUE. A folder may set ${may}.`,
    };
  }
  if (name !== bare || !isSecret(keys, name, text)) return undefined;
  return {
    rule: `sets ${written}, which holds a secret, in clear text`,
    hint: `Write the secret into a file that only you can read, and name that: payouts config set ${written}_file FILE`,
  };
}

/** Addresses, which are secret only if they contain a password. */
const ADDRESSES: ReadonlySet<string> = new Set(['PAYOUTS_STORE_URL', 'PAYOUTS_PROXY', 'PAYOUTS_SMTP_URL']);

/** Whether the value of a setting must not be shown or stand in a configuration file. */
export function isSecret(keys: Keys, name: string, text: string): boolean {
  if (HOLDINGS[name] === undefined || keys[name]?.schema === pathText) return false;
  if (!ADDRESSES.has(name)) return true;
  const url = URL.parse(text);
  return url !== null && (url.password !== '' || /[?&](?:password|sslpassword)=/i.test(url.search));
}

export type Table = Readonly<Record<string, unknown>>;
/** What stands before the first table, and the profiles. */
export type ConfigDocument = Table & { profiles?: Readonly<Record<string, Table>> };

/** Loaded when there is a file: most commands have none. */
const toml = (): typeof import('smol-toml') => createRequire(import.meta.url)('smol-toml');

/** Throws a `ConfigError`, with the line, for text that is not TOML, or has tables other than profiles. */
export function parsedConfig(text: string, at: string): ConfigDocument {
  let document: Record<string, unknown>;
  try {
    document = toml().parse(text);
  } catch (error) {
    const where = error instanceof Error && 'line' in error ? ` (line ${error.line})` : '';
    throw new ConfigError(
      at,
      `is not TOML${where}`,
      'A line is name = "value"; a profile begins with [profiles.NAME].',
    );
  }
  const { profiles = {} } = document;
  if (isTable(profiles) && Object.values(profiles).every(isTable)) return document as ConfigDocument;
  throw new ConfigError(at, 'has something other than tables under profiles', 'A profile begins with [profiles.NAME].');
}

const isTable = (value: unknown): value is Table =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date);

function profileOf(profiles: Readonly<Record<string, Table>>, { profile = '', path: at }: ConfigFile): Table {
  const table = Object.hasOwn(profiles, profile) ? profiles[profile] : undefined;
  if (table !== undefined) return table;
  const names = Object.keys(profiles);
  const known = names.length === 0 ? 'It has none.' : `It has ${names.join(', ')}.`;
  throw new ConfigError('PAYOUTS_PROFILE', `names ${profile}, no profile of ${at}`, known + didYouMean(profile, names));
}

/** The text that the environment would have: lists joined by commas, tables as JSON. */
function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  if (value instanceof Date) return value.toISOString();
  if (Array.isArray(value) && value.every((it) => typeof it === 'string')) return value.join(',');
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** Relative paths are those of the file's folder; `~/` is the home of the user. */
function located(keys: Keys, name: string, text: string, folder: string, env: Environment): string {
  const at = (given: string): string => {
    const trimmed = given.trim();
    return trimmed.startsWith('~/') ? join(env.HOME || userHome(), trimmed.slice(2)) : resolve(folder, trimmed);
  };
  const schema = keys[name]?.schema;
  if (text.trim() === '') return text;
  if (schema === undefined || schema === pathText) return at(text);
  if (schema === folders) return text.split(',').map(at).join(',');
  const [, file] = schema === storeUrl ? (/^file:(?:\/\/)?(.+)$/.exec(text) ?? []) : [];
  return file === undefined ? text : `file:${at(file)}`;
}

function readText(at: string): string {
  try {
    return plainText(readFileSync(at));
  } catch (error) {
    const { says, remedy } = causeOf(error, 'files') ?? { says: 'it cannot be read', remedy: 'Check the path.' };
    throw new ConfigError(at, `cannot be read: ${says}`, remedy);
  }
}

/** Throws a `ConfigError` for a file that another user can write, or has written: it says which bank is paid from. */
export function assertOwnFile(at: string): void {
  const writable = writableByOthers(at);
  if (writable !== undefined) throw new ConfigError(at, `is ${writable.says}`, `${writable.remedy}.`);
  const own = process.getuid?.();
  const owner = ownerOf(at);
  if (own === undefined || owner === undefined || owner === own || owner === ROOT) return;
  throw new ConfigError(at, 'belongs to another user', 'Use a file of your own, or have root own it.');
}

const ROOT = 0;

function ownerOf(at: string): number | undefined {
  try {
    return statSync(at).uid;
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw error;
  }
}
