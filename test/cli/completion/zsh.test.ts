import { tmpdir } from 'node:os';
import { describe, expect, it } from 'vitest';
import { commandTree } from '../../../src/cli/completion/command-tree.ts';
import { zshCompletion } from '../../../src/cli/completion/zsh.ts';
import { isInstalled, linesOf } from './shells.ts';
import { smallProgram } from './small-program.ts';

const script = zshCompletion('payouts', commandTree(smallProgram()));
const installed = isInstalled('zsh');

/** What the script offers for the last of the words behind `payouts`; what zsh itself does with it is stood in for. */
function offered(...words: string[]): string[] {
  const ask = `
compdef() { print -- "compdef $*" }
compadd() { shift; print -l -- "$@" }
_files() { print FILES }
_describe() { local -a all; all=("\${(@P)@[-1]}"); print -l -- "\${all[@]}" }
${script}
words=(payouts "$@") CURRENT=$(($# + 1))
_payouts`;
  const [bound, ...lines] = linesOf('zsh', ['-f', '-c', ask, 'zsh', ...words], tmpdir());
  expect(bound).toBe('compdef _payouts payouts');
  return lines;
}

it('the completion for zsh names every command with what it does', () => {
  expect(script).toMatch(/^#compdef payouts\n/);
  expect(script).toContain("'run:pay a file, whoever'\\''s it is'");
});

describe.skipIf(!installed)(
  `the completion in zsh${installed ? '' : ' (not tried: zsh is not installed here)'}`,
  () => {
    it.each([
      [
        ['switch', ''],
        ['off:stop [it]: now', 'list:what is off', 'help:display help for command'],
      ],
      [
        ['template', ''],
        ['csv', 'json'],
      ],
      [
        ['run', '--invalid', ''],
        ['stop', 'skip'],
      ],
      [['run', '--timeout', ''], []],
      [['run', '--timeout', '9m', ''], ['FILES']],
      [['run', '--books', ''], ['FILES']],
      [['run', 'payroll.csv', ''], []],
      [
        ['switch', 'list', '-'],
        ['-h:display help for command', '--help:display help for command'],
      ],
    ])('offers after %j: %j', (words, expected) => {
      expect(offered(...words)).toEqual(expected);
    });
  },
);
