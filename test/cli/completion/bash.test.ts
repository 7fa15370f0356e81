import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { bashCompletion } from '../../../src/cli/completion/bash.ts';
import { commandTree } from '../../../src/cli/completion/command-tree.ts';
import { linesOf } from './shells.ts';
import { smallProgram } from './small-program.ts';

const script = bashCompletion('payouts', commandTree(smallProgram()));
const folder = mkdtempSync(join(tmpdir(), 'payouts-bash-'));
writeFileSync(join(folder, 'march payroll.csv'), '');
mkdirSync(join(folder, 'march'));
afterAll(() => rmSync(folder, { recursive: true }));

/** What bash offers for the last of the words behind `payouts`. */
function offered(...words: string[]): string[] {
  const ask = `${script}
COMP_WORDS=(payouts "$@") COMP_CWORD=$#
_payouts
printf '%s\\n' "\${COMPREPLY[@]}"`;
  return linesOf('bash', ['--norc', '-c', ask, 'bash', ...words], folder);
}

describe('the completion for bash', () => {
  it('is bound to the program', () => {
    expect(linesOf('bash', ['--norc', '-c', `${script}\ncomplete -p payouts`], folder)).toEqual([
      'complete -o filenames -F _payouts payouts',
    ]);
  });

  it.each([
    [[''], ['run', 'template', 'status', 'switch', 'help']],
    [['s'], ['status', 'switch']],
    [
      ['switch', ''],
      ['off', 'list', 'help'],
    ],
    [['switch', 'o'], ['off']],
    [
      ['switch', 'off', '--'],
      ['--reason', '--help'],
    ],
    [['--v'], ['--version']],
    [
      ['run', '--'],
      ['--yes', '--timeout', '--books', '--invalid', '--help'],
    ],
    [
      ['run', '--invalid', ''],
      ['stop', 'skip'],
    ],
    [['run', '--invalid', 'sk'], ['skip']],
    [['run', '--timeout', ''], []],
    [['run', '-t', ''], []],
    [
      ['template', ''],
      ['csv', 'json'],
    ],
    [['template', 'csv', ''], []],
    [['template', '--help', 'j'], ['json']],
    [['status', ''], []],
    [
      ['run', ''],
      ['march', 'march payroll.csv'],
    ],
    [['run', 'march '], ['march payroll.csv']],
    [['run', '--yes', 'march '], ['march payroll.csv']],
    [['run', '--timeout', '9m', 'march '], ['march payroll.csv']],
    [['run', '--books', 'march '], ['march payroll.csv']],
    [['run', 'march payroll.csv', ''], []],
    [['status', 'run', '--'], ['--help']],
    [['--nonsense', 'st'], ['status']],
  ])('offers after %j: %j', (words, expected) => {
    expect(offered(...words).sort()).toEqual([...expected].sort());
  });
});
