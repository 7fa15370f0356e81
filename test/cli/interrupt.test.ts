import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const source = fileURLToPath(new URL('../../src/cli/interrupt.ts', import.meta.url));

it.each(['SIGTERM', 'SIGHUP'] as const)(
  'a command that waits stays up until %s, also with nothing else to do',
  async (signal) => {
    const program = `
    import { interruptSignal, untilStopped } from '${source}';
    const stopped = interruptSignal();
    const waiting = untilStopped(stopped, new Promise(() => {}));
    // Of no effect on how long the process lives.
    setTimeout(() => console.log('still up'), 200).unref();
    await waiting;
    process.exitCode = 7;`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const ended = once(child, 'close');
    child.stdout.once('data', () => child.kill(signal));
    expect(await ended).toEqual([7, null]);
  },
);
