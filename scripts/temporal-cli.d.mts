type Environment = Readonly<Record<string, string | undefined>>;

export const TEMPORAL_CLI_VERSION: string;
export function cachedCliPath(env: Environment): string;
export function onPath(name: string, env: Environment): string | undefined;
/** `tried` says, one line a place, why each place before the one found was no use. */
export function findTemporalCli(
  env: Environment,
): { path: string; source: string; tried: string[] } | { path: undefined; source?: undefined; tried: string[] };
export function problemOf(path: string): string | undefined;
