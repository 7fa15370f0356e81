import { type ChildProcess, fork } from 'node:child_process';
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { inject } from 'vitest';
import { COMPILE_CACHE } from './compile-cache.ts';
import { type Ended, type Printed, Prints, type Running } from './running.ts';

const HOST = fileURLToPath(new URL('./command-host.ts', import.meta.url));

/** What the process is asked: to run a command, or to interrupt one. */
export type CommandAsked = { id: number; args: readonly string[]; env: NodeJS.ProcessEnv } | { interrupt: number };

/** What it reports of a command: what that printed, and at last how it ended. */
export type CommandOutput = { id: number; printed: keyof Printed; text: string } | { id: number; code: number };

interface Reported {
  prints: Prints;
  end: PromiseWithResolvers<Ended>;
}

const asked = new Map<number, Reported>();
let ids = 0;
let host: ChildProcess | undefined;

/**
 * Starts `payouts ARGS` in the process for the commands of all homes: most of the CPU time of a command is Node loading what the
 * one before had loaded. It can be interrupted, not killed. Its log goes to the process.
 */
export function startShared(args: readonly string[], env: Readonly<NodeJS.ProcessEnv>): Running {
  host ??= startHost();
  const process = host;
  ids += 1;
  const id = ids;
  const prints = new Prints();
  const end = Promise.withResolvers<Ended>();
  asked.set(id, { prints, end });
  const ask = (message: CommandAsked): void => void process.send(message);
  ask({ id, args, env: { TEMPORAL_DEBUG: 'true', ...env } });
  return {
    ended: end.promise,
    says: (pattern) => prints.says(pattern, end.promise),
    printed: () => prints.text.stdout,
    kill(signal) {
      if (signal !== 'SIGINT' && signal !== 'SIGTERM') throw new Error(`${signal} would end every command`);
      ask({ interrupt: id });
    },
  };
}

/** Ends with the process of the tests. */
function startHost(): ChildProcess {
  const env = { PATH: process.env.PATH, COMMANDS_TEMPORAL: inject('temporalAddress'), ...COMPILE_CACHE };
  const child = fork(HOST, { cwd: tmpdir(), env, execArgv: [], stdio: ['ignore', 'ignore', 'pipe', 'ipc'] });
  let said = '';
  child.stderr?.on('data', (text: Buffer) => {
    said += text.toString();
  });
  child.on('message', (reported: CommandOutput) => {
    const { prints, end } = asked.get(reported.id) ?? {};
    if ('printed' in reported) prints?.add(reported.printed, reported.text);
    else end?.resolve({ code: reported.code, signal: null, ...(prints as Prints).text });
    if ('code' in reported) asked.delete(reported.id);
  });
  child.once('close', (code, signal) => {
    for (const { end } of asked.values()) {
      end.reject(new Error(`the process of the commands ended with ${code ?? signal}: ${said}`));
    }
    asked.clear();
    host = undefined;
  });
  return child;
}
