import type { TemporalVersions } from './temporal-versions.mjs';

type Environment = Readonly<Record<string, string | undefined>>;

export function cacheFolder(env: Environment): string;
export function cachedCliPath(env: Environment, version?: string): string;
export function onPath(name: string, env: Environment): string | undefined;

export interface FoundCli {
  path: string;
  /** `TEMPORAL_CLI_PATH`, `PATH` or `cache`. */
  source: string;
  versions: TemporalVersions;
}

/** `tried` says, one line a place, why each place before the one found was no use. */
export function findTemporalCli(
  env: Environment,
): (FoundCli & { tried: string[] }) | { path: undefined; tried: string[] };
export function examineCli(
  path: string,
): { versions: TemporalVersions; problem?: undefined } | { versions?: undefined; problem: string };
