import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const HOST = fileURLToPath(new URL('./command-host.ts', import.meta.url));

/** What the process is asked to run. */
export interface CommandAsked {
  id: number;
  args: readonly string[];
}

/** How that ended and what it printed. */
export interface CommandEnded {
  id: number;
  code: number;
  stdout: string;
  stderr: string;
}

/** One process for many commands: most of the CPU time of a command is Node loading what the one before had loaded. */
export interface SharedProcess {
  /** Runs `payouts ARGS`; rejects when the process ends before the command does. */
  run(args: readonly string[]): Promise<CommandEnded>;
  close(): Promise<void>;
}

/** Starts the process at the first command. */
export function sharedProcess(options: { cwd: string; env: NodeJS.ProcessEnv }): SharedProcess {
  const asked = new Map<number, PromiseWithResolvers<CommandEnded>>();
  let child: ChildProcess | undefined;
  let ids = 0;
  let ended: Promise<void> | undefined;
  const start = (): ChildProcess => {
    const host = fork(HOST, { ...options, execArgv: [], stdio: ['ignore', 'ignore', 'pipe', 'ipc'] });
    let said = '';
    host.stderr?.on('data', (text: Buffer) => {
      said += text.toString();
    });
    host.on('message', (answer: CommandEnded) => {
      asked.get(answer.id)?.resolve(answer);
      asked.delete(answer.id);
    });
    ended = new Promise((resolve) => {
      host.once('close', (code, signal) => {
        for (const { reject } of asked.values()) {
          reject(new Error(`the process of the commands ended with ${code ?? signal}: ${said}`));
        }
        asked.clear();
        child = undefined;
        resolve();
      });
    });
    return host;
  };
  return {
    run(args) {
      child ??= start();
      ids += 1;
      const answer = Promise.withResolvers<CommandEnded>();
      asked.set(ids, answer);
      child.send({ id: ids, args } satisfies CommandAsked);
      return answer.promise;
    },
    async close() {
      child?.kill('SIGKILL');
      await ended;
    },
  };
}
