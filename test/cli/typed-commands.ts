import { CommanderError } from 'commander';
import { buildProgram } from '../../src/cli/program.ts';

/** The text in the place of something, where a command takes no word of any kind. */
const VALUES: Readonly<Record<string, string>> = {
  ACTION: 'keep-looking',
  SCOPE: 'account',
  KIND: 'look-alike',
  N: '1',
  DATE: '2026-03-31',
  AMOUNT: '10.00',
  DURATION: '10m',
  SHELL: 'bash',
};

/** The words behind `payouts`, once for each of `approve|reject`; what the shell does with the output is left out. */
export function argvsOf(text: string): string[][] {
  const plain = text
    .replace(/^npx /, '')
    .replace(/<[^>]+>/g, 'X')
    .replace(/\[[^\]]*\]/g, '');
  const line = plain.split(/ {2,}| #| \| | > | && |; /)[0] ?? '';
  const words = [...line.matchAll(/'[^']*'|"[^"]*"|[^\s'"]+/g)]
    .map(([word]) => word.replace(/^['"]|['"]$/g, ''))
    .slice(1);
  return words.reduce<string[][]>(
    (all, word) => {
      const alternatives = /^[\w-]+(\|[\w-]+)+$/.test(word) ? word.split('|') : [word];
      return all.flatMap((argv) => alternatives.map((it) => [...argv, VALUES[it] ?? it]));
    },
    [[]],
  );
}

/** Undefined: it can be typed. */
export async function complaintAbout(argv: readonly string[]): Promise<string | undefined> {
  const program = buildProgram(async () => {});
  program.configureOutput({ writeErr: () => {}, writeOut: () => {} });
  for (const command of program.commands) {
    for (const it of [command, ...command.commands]) it.configureOutput({ writeErr: () => {}, writeOut: () => {} });
  }
  try {
    await program.parseAsync(argv, { from: 'user' });
    return undefined;
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return undefined;
    const message = error instanceof Error ? error.message : String(error);
    // What is put there when the text is made is not known here.
    return /(?:argument|value|command) 'X,?'/.test(message) ? undefined : message;
  }
}

/** A command alone names what it does: `payouts approve`. With anything behind it, it is meant to be typed. */
export const isName = (argv: readonly string[]): boolean =>
  argv.every((word) => /^[a-z-]+$/.test(word) && !word.startsWith('-'));

export async function named(argv: readonly string[]): Promise<string | undefined> {
  let commands = buildProgram(async () => {}).commands;
  for (const word of argv) {
    const found = commands.find((it) => it.name() === word);
    if (found === undefined) return commands.length === 0 ? undefined : `no command "${word}"`;
    commands = [...found.commands];
  }
  return undefined;
}
