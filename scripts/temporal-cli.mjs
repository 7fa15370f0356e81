/**
 * Where a Temporal CLI is searched for: shared by the set-up and the running product. Dependency-free, any Node >= 20.
 */
import { spawnSync } from 'node:child_process';
import { accessSync, constants, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { CURRENT_TEMPORAL, OLDEST_TEMPORAL } from './temporal-versions.mjs';

/** The per-user cache: a new home or a fresh clone costs no second download. */
export function cacheFolder(env) {
  return join(env.XDG_CACHE_HOME || join(env.HOME || userHome(), '.cache'), 'durable-payouts');
}

/** A user without a name (a number in a container) has no home. */
function userHome() {
  try {
    return homedir();
  } catch {
    return '/';
  }
}

/** Where the set-up puts a version of the CLI. */
export const cachedCliPath = (env, version = CURRENT_TEMPORAL.cli) =>
  join(cacheFolder(env), `temporal-${version}`, 'temporal');

/** First executable of this name on PATH. */
export function onPath(name, env) {
  const folders = (env.PATH ?? '').split(delimiter).filter((folder) => folder !== '');
  return folders.map((folder) => join(folder, name)).find(isExecutable);
}

/**
 * Finds a CLI that runs and brings a supported server: TEMPORAL_CLI_PATH, else `temporal` on PATH, else the cache. A path that was
 * named and does not work is an answer of its own: nothing else is taken in its place.
 */
export function findTemporalCli(env) {
  const tried = [];
  for (const { source, path } of candidates(env)) {
    const { versions, problem } = path === undefined ? { problem: 'not found' } : examineCli(path);
    if (problem === undefined) return { path, source, versions, tried };
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

/** Which versions a CLI has, or why it is no use: a newer one than those that the product is tested with is taken. */
export function examineCli(path) {
  if (!isExecutable(path)) return { problem: 'not an executable file' };
  const { status, stdout, error } = spawnSync(path, ['--version'], { encoding: 'utf8', timeout: 20_000 });
  if (error !== undefined || status !== 0) return { problem: '`--version` fails' };
  const [, cli, server, ui] = /version (\S+) \(Server (\d+\.\d+\S*), UI (\d[^\s)]*)\)/.exec(stdout) ?? [];
  if (cli === undefined) return { problem: '`--version` does not name a Temporal server and Web UI' };
  if (isOlder(server, OLDEST_TEMPORAL.server))
    return { problem: `server ${server} is older than ${OLDEST_TEMPORAL.server}` };
  return { versions: { cli, server, ui } };
}

/** Compares versions as `1.29.1`, of which a part that is missing counts as 0. */
function isOlder(version, than) {
  const [a, b] = [version, than].map((text) => text.split('.').map((part) => Number.parseInt(part, 10) || 0));
  const at = b.findIndex((part, index) => (a[index] ?? 0) !== part);
  return at >= 0 && (a[at] ?? 0) < b[at];
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
