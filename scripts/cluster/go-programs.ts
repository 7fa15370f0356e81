import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { cachedCliPath, onPath } from '../temporal-cli.mjs';
import { ClusterError } from './part.ts';

/** The server of the Temporal CLI that the product is tested with, and what belongs to it. */
export const TEMPORAL_SERVER_VERSION = '1.29.1';
export const TEMPORAL_UI_VERSION = '2.42.1';

const PROGRAMS = {
  'temporal-sql-tool': `go.temporal.io/server/cmd/tools/sql@v${TEMPORAL_SERVER_VERSION}`,
  'temporal-server': `go.temporal.io/server/cmd/server@v${TEMPORAL_SERVER_VERSION}`,
  'temporal-ui-server': `github.com/temporalio/ui-server/v2/cmd/server@v${TEMPORAL_UI_VERSION}`,
} as const;

/** Where Go's own installer puts it, for a PATH that lacks it. */
const GO_DEFAULT = '/usr/local/go/bin/go';
const PULSE_MS = 30_000;

/**
 * The folder that holds Temporal's programs, in the per-user cache: what is missing is built with Go, exactly these versions,
 * verified by Go's checksum database. Throws a `ClusterError` where there is no Go.
 */
export async function goPrograms(env: NodeJS.ProcessEnv, say: (line: string) => void): Promise<string> {
  const cache = dirname(dirname(cachedCliPath(env)));
  const folder = join(cache, `temporal-server-${TEMPORAL_SERVER_VERSION}-ui-${TEMPORAL_UI_VERSION}`);
  mkdirSync(folder, { recursive: true });
  for (const [name, source] of Object.entries(PROGRAMS)) {
    const target = join(folder, name);
    if (!existsSync(target)) await build({ source, target, env, say });
  }
  return folder;
}

interface Build {
  source: string;
  target: string;
  env: NodeJS.ProcessEnv;
  say(line: string): void;
}

async function build({ source, target, env, say }: Build): Promise<void> {
  const go = onPath('go', env) ?? (existsSync(GO_DEFAULT) ? GO_DEFAULT : undefined);
  if (go === undefined)
    throw new ClusterError(
      `${basename(target)} must be built once, and Go was not found`,
      `Install Go 1.25 or later (https://go.dev/dl), or put the program here: ${target}`,
    );
  say(`building ${source} with Go; the first time takes about 4 minutes`);
  const startedAt = performance.now();
  const seconds = (): number => Math.round((performance.now() - startedAt) / 1_000);
  const pulse = setInterval(() => say(`still building ${basename(target)} (${seconds()} s)`), PULSE_MS);
  // Beside the target, so that the rename is whole or nothing, also beside another build.
  const folder = mkdtempSync(`${target}-`);
  try {
    await run(go, ['install', source], { ...env, GOBIN: folder });
    renameSync(join(folder, programOf(source)), target);
    say(`built ${basename(target)} in ${seconds()} s`);
  } finally {
    clearInterval(pulse);
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Go names a program after the last folder of its package. */
const programOf = (source: string): string => basename(source.slice(0, source.lastIndexOf('@')));

async function run(command: string, args: readonly string[], env: NodeJS.ProcessEnv): Promise<void> {
  const child = spawn(command, args, { env, stdio: ['ignore', 'ignore', 'pipe'] });
  let printed = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    printed = (printed + text).slice(-2_000);
  });
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0)
    throw new ClusterError(
      `go ${args.join(' ')} failed:\n${printed.trimEnd()}`,
      'Go needs access to its module proxy.',
    );
}
