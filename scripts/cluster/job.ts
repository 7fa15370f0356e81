import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, statSync } from 'node:fs';
import { ClusterError, type Part } from './part.ts';
import { lastLines, type ProcessSpec } from './server-process.ts';

/** Runs once to its end, at every start of the cluster; one whose work is done already does nothing. */
export function job(spec: Pick<ProcessSpec, 'name' | 'command' | 'args' | 'env' | 'logFile' | 'user'>): Part {
  const { name, command, args, env, logFile, user } = spec;
  return {
    name,
    async start() {
      const from = statSync(logFile, { throwIfNoEntry: false })?.size ?? 0;
      const log = openSync(logFile, 'a', 0o600);
      const child = spawn(command, args, { env, stdio: ['ignore', log, log], ...user });
      closeSync(log);
      const [code] = (await once(child, 'exit')) as [number | null];
      if (code !== 0) throw new ClusterError(`${name} failed:\n${lastLines(logFile, from)}`, `Its log: ${logFile}`);
    },
  };
}
