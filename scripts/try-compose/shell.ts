import { spawnSync } from 'node:child_process';

/** Anything that ends the trial, with a text for the person who started it. */
export class TrialError extends Error {}

/** What this machine lacks for a trial: neither passed nor failed. */
export class Skipped extends Error {}

export interface Place {
  cwd: string;
  env: NodeJS.ProcessEnv;
}

/** Runs a command line and returns what it printed on stdout. Throws a `TrialError` with the end of its output if it fails. */
export function sh(line: string, { cwd, env }: Place): string {
  const { status, stdout, stderr } = spawnSync('sh', ['-c', line], {
    ...{ cwd, env, encoding: 'utf8', maxBuffer: 1 << 28, stdio: ['ignore', 'pipe', 'pipe'] },
  });
  if (status === 0) return stdout;
  throw new TrialError(`${line}\nended with ${status}:\n${`${stdout}${stderr}`.trimEnd().slice(-3_000)}`);
}

export const works = (line: string, env: NodeJS.ProcessEnv): boolean =>
  spawnSync('sh', ['-c', line], { env, stdio: 'ignore' }).status === 0;
