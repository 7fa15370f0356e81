import { execFileSync, spawnSync } from 'node:child_process';

/** Whether a shell is on this machine. */
export const isInstalled = (shell: string): boolean => spawnSync(shell, ['--version']).status === 0;

/** The lines a shell prints for a script; `args` are its positional parameters. */
export function linesOf(shell: string, args: readonly string[], cwd: string): string[] {
  const text = execFileSync(shell, args, {
    cwd,
    encoding: 'utf8',
    env: { PATH: process.env.PATH, HOME: cwd, TERM: 'dumb' },
  });
  return text.split('\n').filter((line) => line !== '');
}
