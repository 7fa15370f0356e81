import { AsyncLocalStorage } from 'node:async_hooks';
import { NativeConnection } from '@temporalio/worker';
import { runProgram } from '../../src/cli/program.ts';
import { createLog } from '../../src/platform/log.ts';
import { installRuntime } from '../../src/platform/temporal/worker-runtime.ts';
import type { CommandAsked, CommandOutput } from './shared-process.ts';
import { runWorkflowsLightly } from './workflows-in-this-thread.ts';

/**
 * A process that runs one `payouts` command after the other, or several at once. Each has an environment, an output and
 * interrupts of its own, as if it were alone.
 */
interface Command {
  id: number;
  env: NodeJS.ProcessEnv;
  /** Its listeners for Ctrl-C. */
  interrupts: Set<(signal: NodeJS.Signals) => void>;
}

const commands = new AsyncLocalStorage<Command>();
const interrupted = new Map<number, Command>();

const notify = (reported: CommandOutput): void => void process.send?.(reported);

const ownEnv = process.env;
Object.defineProperty(process, 'env', { get: () => commands.getStore()?.env ?? ownEnv });

for (const name of ['stdout', 'stderr'] as const) {
  process[name].write = (text: string | Uint8Array): boolean => {
    const command = commands.getStore();
    if (command === undefined) throw new Error(`printed by no command: ${text}`);
    notify({ id: command.id, printed: name, text: `${text}` });
    return true;
  };
  // Every command listens for a reader that has gone.
  process[name].setMaxListeners(0);
}

const listen = process.on.bind(process);
process.on = (name: string | symbol, listener: (...args: never[]) => void): NodeJS.Process => {
  const command = commands.getStore();
  if (command === undefined || (name !== 'SIGINT' && name !== 'SIGTERM')) {
    return listen(name as 'message', listener as () => void);
  }
  command.interrupts.add(listener as (signal: NodeJS.Signals) => void);
  return process;
};

const listenersOf = process.listeners.bind(process);
process.listeners = ((name: NodeJS.Signals) =>
  name === 'SIGINT' || name === 'SIGTERM'
    ? [...(commands.getStore()?.interrupts ?? [])]
    : listenersOf(name)) as NodeJS.Process['listeners'];

runWorkflowsLightly();
// The native runtime ends with its last connection, and is made once in a process: this one stays.
installRuntime(createLog('warn'));
const kept = NativeConnection.connect({ address: ownEnv.COMMANDS_TEMPORAL });

listen('message', async (asked: CommandAsked) => {
  await kept;
  if ('interrupt' in asked) {
    const command = interrupted.get(asked.interrupt);
    if (command === undefined) return;
    commands.run(command, () => {
      for (const listener of command.interrupts) listener('SIGINT');
    });
    return;
  }
  const { id, args, env } = asked;
  const command: Command = { id, env, interrupts: new Set() };
  interrupted.set(id, command);
  const code = await commands.run(command, () => runProgram(args));
  interrupted.delete(id);
  notify({ id, code });
});
listen('disconnect', () => process.exit());
