import { AsyncLocalStorage } from 'node:async_hooks';
import { runProgram } from '../../src/cli/program.ts';
import type { CommandAsked, CommandEnded } from './shared-process.ts';

/** A process that runs one `payouts` command after the other, or several at once: what each prints is kept apart. */
const printing = new AsyncLocalStorage<{ stdout: string; stderr: string }>();

for (const name of ['stdout', 'stderr'] as const) {
  process[name].write = (chunk: string | Uint8Array): boolean => {
    const printed = printing.getStore();
    if (printed === undefined) throw new Error(`printed by no command: ${chunk}`);
    printed[name] += chunk;
    return true;
  };
  // Every command listens for a reader that has gone.
  process[name].setMaxListeners(0);
}
// And for Ctrl-C.
process.setMaxListeners(0);

process.on('message', ({ id, args }: CommandAsked) => {
  const printed = { stdout: '', stderr: '' };
  void printing.run(printed, async () => {
    const code = await runProgram(args);
    const ended: CommandEnded = { id, code, ...printed };
    process.send?.(ended);
  });
});
process.on('disconnect', () => process.exit());
