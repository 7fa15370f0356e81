import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { cacheFolder } from '../temporal-cli.mjs';
import { CURRENT_TEMPORAL } from '../temporal-versions.mjs';
import { goInstall } from './go.ts';
import { ClusterError } from './part.ts';

const { server, ui } = CURRENT_TEMPORAL;
const PROGRAMS = {
  'temporal-sql-tool': `go.temporal.io/server/cmd/tools/sql@v${server}`,
  'temporal-server': `go.temporal.io/server/cmd/server@v${server}`,
  'temporal-ui-server': `github.com/temporalio/ui-server/v2/cmd/server@v${ui}`,
} as const;

/**
 * The folder that holds Temporal's programs, in the per-user cache: what is missing is built with Go, exactly these
 * versions. Throws a `ClusterError` where there is no Go.
 */
export async function goPrograms(env: NodeJS.ProcessEnv, say: (line: string) => void): Promise<string> {
  const cache = cacheFolder(env);
  const folder = join(cache, `temporal-server-${server}-ui-${ui}`);
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
        `Install Go 1.26.8 or later (https://go.dev/dl), which needs access to its module proxy, or put the program here: ${target}`,
      );
    });
    renameSync(built, target);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
