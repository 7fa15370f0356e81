import type { Command } from 'commander';
import { WHAT_AN_ID_IS } from './choices.ts';
import { EXAMPLES } from './examples.ts';
import { EXIT } from './exit.ts';

/** Examples before the usage of the program and every command, exit codes after that of `run` and `watch`. */
export function addHelp(program: Command): void {
  for (const [path, command] of commandsOf(program)) {
    command.addHelpText('before', () => examplesText(path));
    if (WITH_EXIT_CODES.has(path)) command.addHelpText('after', EXIT_CODES);
  }
  program.addHelpText('after', `\n${WHAT_AN_ID_IS}`);
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

const EXIT_CODES = [
  '',
  'Exit codes:',
  ...Object.entries(EXIT).map(([name, exit]) => `  ${String(exit).padEnd(4)} ${MEANINGS[name as keyof typeof EXIT]}`),
].join('\n');

function examplesText(path: string): string {
  const examples = EXAMPLES[path] ?? [];
  const width = Math.max(...examples.map(([line]) => line.length));
  return ['Examples:', ...examples.map(([line, does]) => `  ${line.padEnd(width)}  ${does}`), ''].join('\n');
}
