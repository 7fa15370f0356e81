import { spawnSync } from 'node:child_process';
import { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { commandsOf, SHELLS, type Shell } from '../../../src/cli/command.ts';
import { completed, completion } from '../../../src/cli/completion.ts';
import { buildProgram } from '../../../src/cli/program.ts';
import type { Session } from '../../../src/cli/session.ts';
import { ROOT } from '../../docs/markdown.ts';

const program = buildProgram(async () => {});

function scriptFor(shell: Shell): string {
  let script = '';
  const session = { output: { result: (_document: unknown, text: string) => (script = text) } } as unknown as Session;
  completion(session, program, shell);
  return script;
}

/** What is offered, and the last line: whether the shell offers files too. */
function offered(...words: string[]): [string[], string | undefined] {
  const lines = completed(program, words).trimEnd().split('\n');
  return [lines.slice(0, -1).map((line) => line.replace(/\t.*/, '')), lines.at(-1)];
}

const ONLY_THESE = ':4';
const FILES_TOO = ':0';

describe('what is offered', () => {
  it.each([
    [['va'], ['validate']],
    [
      ['switch', ''],
      ['off', 'on', 'list', 'help'],
    ],
    [['--v'], ['--version']],
    [['run', 'payroll.csv', '--inv'], ['--invalid']],
    [
      ['run', 'payroll.csv', '--invalid', ''],
      ['stop', 'skip'],
    ],
    [['run', '--invalid', 'sk'], ['skip']],
    [['run', '--timeout', ''], []],
    [['resolve', 'ID', '--action', 'ad'], ['adopt-order']],
    [
      ['template', 'p'],
      ['pain.001', 'payees'],
    ],
    [['status', ''], []],
    [['completion', ''], [...SHELLS]],
  ])('after %j is %j', (words, expected) => {
    const [offers, directive] = offered(...words);
    expect(offers.sort()).toEqual([...expected].sort());
    expect(directive).toBe(ONLY_THESE);
  });

  it.each(['run ', 'run --yes pay', 'template mapping --from '])('after %j is a file', (line) => {
    expect(offered(...line.split(' '))).toEqual([[], FILES_TOO]);
  });

  it('is every command and every option of the program', () => {
    const missing = commandsOf(program).flatMap(([path, command]) => {
      const words = path.split(' ').filter((word) => word !== '');
      const flags = command.options.flatMap(({ long, hidden }) => (long == null || hidden ? [] : [long]));
      const [options] = offered(...words, '--');
      const [commands] = offered(...words.slice(0, -1), words.at(-1) ?? '');
      return [
        ...flags.filter((flag) => !options.includes(flag)),
        ...(path === '' || commands.includes(command.name()) ? [] : [path]),
      ];
    });
    expect(missing).toEqual([]);
  });

  it('is nothing that a program hides', () => {
    const hiding = new Command('payouts');
    hiding.command('shown');
    hiding.command('secret', { hidden: true });
    expect(completed(hiding, ['s']).replace(/\t.*/g, '')).toBe(`shown\n${ONLY_THESE}\n`);
  });
});

describe.each(SHELLS)('the script for %s', (shell) => {
  it('asks the program and no network', () => {
    expect(scriptFor(shell)).toMatch(/complete '?--/);
    expect(scriptFor(shell)).not.toMatch(/npx|curl/);
  });
});

const CHECKS = { bash: '-n', zsh: '-n', fish: '--no-execute' } as const;
const isInstalled = (shell: string): boolean => spawnSync(shell, ['--version']).status === 0;

describe.each(['bash', 'zsh', 'fish'] as const)('%s', (shell) => {
  it.skipIf(!isInstalled(shell))('reads its script', () => {
    const checked = spawnSync(shell, [CHECKS[shell]], { input: scriptFor(shell), encoding: 'utf8' });
    expect(checked.stderr).toBe('');
  });
});

describe('in a bash without bash-completion', () => {
  const inBash = (then: string, ...words: string[]): string[] => {
    const payouts = `payouts() { '${process.execPath}' '${ROOT}/bin/payouts.mjs' "$@"; }`;
    const script = `${payouts}\n${scriptFor('bash')}\n${scriptFor('bash')}\nCOMP_WORDS=(payouts "$@") COMP_CWORD=$#\n${then}`;
    const env = { PATH: process.env.PATH, HOME: '/nonexistent' };
    const { stdout } = spawnSync('bash', ['--norc', '-c', script, 'bash', ...words], { encoding: 'utf8', env });
    return stdout.split('\n').filter((line) => line !== '');
  };

  it('the script, read twice, offers what the program says', () => {
    const then = `__payouts_complete; printf '%s\\n' "\${COMPREPLY[@]}"`;
    expect(inBash(then, 'run', 'payroll.csv', '--invalid', 's')).toEqual(['stop', 'skip']);
  });

  it('leaves files to bash', () => {
    expect(inBash('complete -p payouts')).toEqual(['complete -o default -F __payouts_complete payouts']);
  });
});
