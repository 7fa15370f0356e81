import { tmpdir } from 'node:os';
import { describe, expect, it } from 'vitest';
import { SHELLS } from '../../../src/cli/choices.ts';
import { completion } from '../../../src/cli/commands/completion.ts';
import { commandsOf } from '../../../src/cli/help.ts';
import { buildProgram } from '../../../src/cli/program.ts';
import type { Session } from '../../../src/cli/session.ts';
import { linesOf } from '../completion/shells.ts';

const program = buildProgram(async () => {});

function scriptFor(shell: (typeof SHELLS)[number]): string {
  let script = '';
  const session = { output: { result: (_document: unknown, text: string) => (script = text) } } as unknown as Session;
  completion(session, program, shell);
  return script;
}

describe.each(SHELLS)('the script for %s', (shell) => {
  const script = scriptFor(shell);

  it('has every command and every option of the program', () => {
    const missing = commandsOf(program).flatMap(([, command]) => {
      const flags = command.options.flatMap(({ long }) =>
        long == null ? [] : [shell === 'fish' ? `-l ${long.slice(2)}` : long],
      );
      return [command.name(), ...flags].filter((word) => !script.includes(word));
    });
    expect(missing).toEqual([]);
  });

  it('runs nothing of ours and asks no network', () => {
    expect(script).not.toMatch(/\$\(\s*payouts|`payouts|npx|curl|https?:/);
  });
});

describe('the script in bash', () => {
  const offered = (...words: string[]): string[] =>
    linesOf(
      'bash',
      [
        '--norc',
        '-c',
        `${scriptFor('bash')}\nCOMP_WORDS=(payouts "$@") COMP_CWORD=$#\n_payouts\nprintf '%s\\n' "\${COMPREPLY[@]}"`,
        'bash',
        ...words,
      ],
      tmpdir(),
    );

  it.each([
    [['va'], ['validate']],
    [['run', 'payroll.csv', '--inv'], ['--invalid']],
    [
      ['run', 'payroll.csv', '--invalid', 's'],
      ['stop', 'skip'],
    ],
    [['resolve', 'ID', '--action', 'ad'], ['adopt-order']],
    [
      ['template', 'p'],
      ['pain.001', 'payees'],
    ],
    [['completion', ''], SHELLS],
  ])('offers after %j: %j', (words, expected) => {
    expect(offered(...words)).toEqual(expected);
  });
});
