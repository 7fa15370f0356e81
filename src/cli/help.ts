import type { Command } from 'commander';
import { labelled, widthOf, wrap } from '../domain/display.ts';
import { EXIT } from './exit.ts';

/** A line to type, and what it does. A test parses every line. */
export type Example = readonly [line: string, does: string];

/** The program (path '') and all its commands, each with its words, `switch off`. */
export function commandsOf(command: Command, path = ''): [string, Command][] {
  const below = command.commands.flatMap((it) => commandsOf(it, `${path} ${it.name()}`.trim()));
  return [[path, command], ...below];
}

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

/** Behind the help of a command whose exit code is that of its payouts. */
export const exitCodes = (width: number = widthOf(process.stdout)): string =>
  [
    '',
    'Exit codes:',
    ...Object.entries(EXIT).flatMap(([name, exit]) =>
      labelled(String(exit), MEANINGS[name as keyof typeof EXIT], { indent: 2, labelWidth: 5, width }),
    ),
  ].join('\n');

/** Before the usage. What each does stands beside it or, where that is too wide, below; a line to paste is never broken. */
export function examplesText(examples: readonly Example[], width = widthOf(process.stdout)): string {
  const longest = Math.max(...examples.map(([line]) => line.length));
  const beside = examples.map(([line, does]) => `  ${line.padEnd(longest)}  ${does}`);
  const below = examples.flatMap(([line, does]) => [
    `  ${line}`,
    ...wrap(does, width - 6).map((part) => `      ${part}`),
  ]);
  const fits = beside.every(({ length }) => length <= width);
  return ['Examples:', ...(fits ? beside : below), ''].join('\n');
}
