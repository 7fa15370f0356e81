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

it.each([
  ['SIGHUP', 129],
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const)(
  'a command that listens to no %s ends by its exit, in which it ends what it has started',
  async (signal, code) => {
    const program = `
    import { exitOnSignals } from '${fileURLToPath(new URL('../../src/cli/exit.ts', import.meta.url))}';
    exitOnSignals();
    process.once('exit', () => process.stdout.write('ended it'));
    setInterval(() => {}, 1_000);
    console.log('up');`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const printed: string[] = [];
    child.stdout.on('data', (text) => printed.push(`${text}`));
    const ended = once(child, 'close');
    child.stdout.once('data', () => child.kill(signal));
    expect(await ended).toEqual([code, null]);
    expect(printed.join('')).toContain('ended it');
  },
);
