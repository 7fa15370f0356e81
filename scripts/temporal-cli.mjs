/**
 * Where a Temporal CLI is looked for: shared by the set-up and the running product. Dependency-free, any Node >= 20.
 */
import { spawnSync } from 'node:child_process';
import { accessSync, constants, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';

/** Version that is downloaded or built; its server is the one the product is tested with. */
export const TEMPORAL_CLI_VERSION = '1.5.1';
const OLDEST_SERVER = [1, 29];

/** The per-user cache: a new home or a fresh clone costs no second download. */
export function cachedCliPath(env) {
  const cache = env.XDG_CACHE_HOME || join(env.HOME || homedir(), '.cache');
  return join(cache, 'durable-payouts', `temporal-${TEMPORAL_CLI_VERSION}`, 'temporal');
}

/** First executable of this name on PATH. */
export function onPath(name, env) {
  const folders = (env.PATH ?? '').split(delimiter).filter((folder) => folder !== '');
  return folders.map((folder) => join(folder, name)).find(isExecutable);
}

/**
 * Finds a CLI that runs: TEMPORAL_CLI_PATH, else `temporal` on PATH, else the cache. A path that was named and does not
 * work is an answer of its own: nothing else is taken in its place.
 */
export function findTemporalCli(env) {
  const tried = [];
  for (const { source, path } of candidates(env)) {
    const problem = path === undefined ? 'not found' : problemOf(path);
    if (problem === undefined) return { path, source, tried };
    tried.push(`${source}: ${problem}`);
    if (source === 'TEMPORAL_CLI_PATH') break;
  }
  return { path: undefined, tried };
}

function candidates(env) {
  if (env.TEMPORAL_CLI_PATH) return [{ source: 'TEMPORAL_CLI_PATH', path: env.TEMPORAL_CLI_PATH }];
  return [
    { source: 'PATH', path: onPath('temporal', env) },
    { source: 'cache', path: existing(cachedCliPath(env)) },
  ];
}

/** Why this file is no usable Temporal CLI; undefined when it is one. */
export function problemOf(path) {
  if (!isExecutable(path)) return 'not an executable file';
  const { status, stdout, error } = spawnSync(path, ['--version'], { encoding: 'utf8', timeout: 20_000 });
  if (error !== undefined || status !== 0) return '`--version` fails';
  const [, major, minor] = /\(Server (\d+)\.(\d+)/.exec(stdout) ?? [];
  if (major === undefined) return '`--version` does not name a Temporal server';
  const isOlder =
    Number(major) < OLDEST_SERVER[0] || (Number(major) === OLDEST_SERVER[0] && Number(minor) < OLDEST_SERVER[1]);
  return isOlder ? `server ${major}.${minor} is older than ${OLDEST_SERVER.join('.')}` : undefined;
}

function existing(path) {
  return statSync(path, { throwIfNoEntry: false }) === undefined ? undefined : path;
}

function isExecutable(path) {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
