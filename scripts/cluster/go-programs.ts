import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { cachedCliPath } from '../temporal-cli.mjs';
import { goInstall } from '../temporal-cli-install.mjs';
import { ClusterError } from './part.ts';

/** The server of the Temporal CLI that the product is tested with, and what belongs to it. */
export const TEMPORAL_SERVER_VERSION = '1.29.1';
export const TEMPORAL_UI_VERSION = '2.42.1';

const PROGRAMS = {
  'temporal-sql-tool': `go.temporal.io/server/cmd/tools/sql@v${TEMPORAL_SERVER_VERSION}`,
  'temporal-server': `go.temporal.io/server/cmd/server@v${TEMPORAL_SERVER_VERSION}`,
  'temporal-ui-server': `github.com/temporalio/ui-server/v2/cmd/server@v${TEMPORAL_UI_VERSION}`,
} as const;

/**
 * The folder that holds Temporal's programs, in the per-user cache: what is missing is built with Go, exactly these
 * versions. Throws a `ClusterError` where there is no Go.
 */
export async function goPrograms(env: NodeJS.ProcessEnv, say: (line: string) => void): Promise<string> {
  const cache = dirname(dirname(cachedCliPath(env)));
  const folder = join(cache, `temporal-server-${TEMPORAL_SERVER_VERSION}-ui-${TEMPORAL_UI_VERSION}`);
  mkdirSync(folder, { recursive: true });
  for (const [name, source] of Object.entries(PROGRAMS)) {
    const target = join(folder, name);
    if (!existsSync(target)) await build(source, target, { env, say });
  }
  return folder;
}

async function build(
  source: string,
  target: string,
  { env, say }: { env: NodeJS.ProcessEnv; say: (line: string) => void },
): Promise<void> {
  // Beside the target, so that the rename is whole or nothing, also beside another build.
  const folder = mkdtempSync(`${target}-`);
  try {
    const built = await goInstall(source, folder, { name: basename(target), env, say }).catch((error: Error) => {
      throw new ClusterError(
        `${source} cannot be built: ${error.message}`,
        `Install Go 1.25 or later (https://go.dev/dl), which needs access to its module proxy, or put the program here: ${target}`,
      );
    });
    renameSync(built, target);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
