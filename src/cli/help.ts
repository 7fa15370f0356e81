import type { Command } from 'commander';
import { WHAT_AN_ID_IS } from '../channels/an-id.ts';
import { labelled, widthOf, wrap } from '../domain/wrap.ts';
import { EXAMPLES } from './examples.ts';
import { EXIT } from './exit.ts';

/** Examples before the usage of the program and every command, exit codes after that of `run` and `watch`. */
export function addHelp(program: Command): void {
  for (const [path, command] of commandsOf(program)) {
    command.addHelpText('before', () => examplesText(path, widthOf(process.stdout)));
    if (WITH_EXIT_CODES.has(path)) command.addHelpText('after', () => exitCodesText(widthOf(process.stdout)));
  }
  program.addHelpText('after', () => `\n${wrap(WHAT_AN_ID_IS, widthOf(process.stdout)).join('\n')}`);
}

/** The program (path '') and all its commands, each with its words, `switch off`. */
export function commandsOf(command: Command, path = ''): [string, Command][] {
  const below = command.commands.flatMap((it) => commandsOf(it, `${path} ${it.name()}`.trim()));
  return [[path, command], ...below];
}

const WITH_EXIT_CODES: ReadonlySet<string> = new Set(['run', 'watch']);

const MEANINGS: Readonly<Record<keyof typeof EXIT, string>> = {
  completed: 'all completed',
  internal: 'internal error',
  usage: 'usage or configuration',
  invalidInput: 'input invalid, nothing sent',
  authentication: 'the bank refused the key',
  exceptions: 'finished with rows that are not completed, or with incidents',
  stillOpen: 'still open at --timeout; without a terminal also once everything open waits for people',
  unreachable: 'Temporal, the bank or the store cannot be reached',
  alreadyTaken: 'these payouts were already taken; nothing sent',
  interrupted: 'interrupted; payouts continue',
};

const exitCodesText = (width: number): string =>
  [
    '',
    'Exit codes:',
    ...Object.entries(EXIT).flatMap(([name, exit]) =>
      labelled(String(exit), MEANINGS[name as keyof typeof EXIT], { indent: 2, labelWidth: 5, width }),
    ),
  ].join('\n');

/** What each does stands beside it or, where that is too wide, below; a line to paste is never broken. */
function examplesText(path: string, width: number): string {
  const examples = EXAMPLES[path] ?? [];
  const longest = Math.max(...examples.map(([line]) => line.length));
  const beside = examples.map(([line, does]) => `  ${line.padEnd(longest)}  ${does}`);
  const below = examples.flatMap(([line, does]) => [
    `  ${line}`,
    ...wrap(does, width - 6).map((part) => `      ${part}`),
  ]);
  const fits = beside.every(({ length }) => length <= width);
  return ['Examples:', ...(fits ? beside : below), ''].join('\n');
}
