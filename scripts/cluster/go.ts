import { spawn } from 'node:child_process';
import { basename, join } from 'node:path';
import { cacheFolder, onPath } from '../temporal-cli.mjs';

/** Where Go's own installer puts it, for a PATH that lacks it. */
const GO_DEFAULT = '/usr/local/go/bin/go';

export interface GoOptions {
  /** What is built, as a person knows it. */
  name: string;
  env: NodeJS.ProcessEnv;
  say(line: string): void;
}

/** Builds `package@version`, verified by Go's checksum database; returns the path of the program in the folder. */
export async function goInstall(source: string, folder: string, options: GoOptions): Promise<string> {
  await runGo([['install', source]], folder, { ...options, env: { ...options.env, GOBIN: folder } });
  // Go names a program after the last folder of its package.
  return join(folder, basename(source.slice(0, source.lastIndexOf('@'))));
}

/**
 * Runs `go` in the folder with each of these arguments in turn, if need be in the version that what is built asks for. Throws an
 * `Error` with the end of what a failed one printed.
 */
export async function runGo(steps: readonly string[][], folder: string, { name, env, say }: GoOptions): Promise<void> {
  say(`building ${name} with Go; the first time takes minutes`);
  const startedAt = Date.now();
  const seconds = (): number => Math.round((Date.now() - startedAt) / 1000);
  const pulse = setInterval(() => say(`still building ${name} (${seconds()} s)`), 30_000);
  try {
    const options = { cwd: folder, env: { ...env, ...goFolders(env), GOTOOLCHAIN: 'auto' } };
    for (const args of steps) await run(onPath('go', env) ?? GO_DEFAULT, args, options);
    say(`built ${name} in ${seconds()} s`);
  } finally {
    clearInterval(pulse);
  }
}

/** Go derives its folders from HOME; without one it would refuse to start. */
function goFolders(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  if (env.HOME) return {};
  const cache = cacheFolder(env);
  return { GOPATH: env.GOPATH || join(cache, 'go'), GOCACHE: env.GOCACHE || join(cache, 'go-build') };
}

function run(command: string, args: readonly string[], options: { cwd: string; env: NodeJS.ProcessEnv }) {
  return new Promise<void>((resolve, reject) => {
    const child = spawn(command, args, { ...options, stdio: ['ignore', 'ignore', 'pipe'] });
    let printed = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      printed = (printed + text).slice(-2_000);
    });
    child.once('error', (error: NodeJS.ErrnoException) =>
      reject(new Error(error.code === 'ENOENT' ? 'Go was not found' : error.message)),
    );
    child.once('close', (code) =>
      code === 0 ? resolve() : reject(new Error(printed.trimEnd() || `exit code ${code}`)),
    );
  });
}
