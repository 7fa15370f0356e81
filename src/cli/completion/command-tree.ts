import type { Argument, Command, Option } from 'commander';

/**
 * What the scripts of the three shells are made from. Written here because @bomb.sh/tab and omelette start the program at every
 * TAB: a tenth of a second, where a script that knows the commands takes a millisecond.
 */

export type Value = { kind: 'choices'; choices: readonly string[] } | { kind: 'file' } | { kind: 'free' };

export interface CommandNode {
  /** The words after the program's name: `run`, `switch off`; empty for the program itself. */
  path: string;
  description: string;
  subcommands: { name: string; description: string }[];
  options: { flags: string[]; description: string; value: Value | undefined }[];
  values: Value[];
}

/** The program and all its commands, in the order of the help. */
export function commandTree(program: Command): CommandNode[] {
  return nodesOf(program, '');
}

function nodesOf(command: Command, path: string): CommandNode[] {
  const help = command.createHelp();
  const subcommands = help.visibleCommands(command);
  const node: CommandNode = {
    path,
    description: command.description(),
    subcommands: subcommands.map((it) => ({ name: it.name(), description: it.description() })),
    options: help.visibleOptions(command).map((option) => ({
      flags: [option.short, option.long].filter((flag) => flag !== undefined),
      description: option.description,
      value:
        option.required || option.optional ? valueTaken(option, /<(.*)>/.exec(option.flags)?.[1] ?? '') : undefined,
    })),
    values: command.registeredArguments.map((argument) => valueTaken(argument, argument.name())),
  };
  return [node, ...subcommands.flatMap((it) => nodesOf(it, `${path} ${it.name()}`.trim()))];
}

const FILES: ReadonlySet<string> = new Set(['file', 'path', 'dir', 'folder']);

function valueTaken({ argChoices }: Option | Argument, name: string): Value {
  if (argChoices !== undefined) return { kind: 'choices', choices: argChoices };
  return { kind: FILES.has(name) ? 'file' : 'free' };
}

/** The word in single quotes, escaped for bash and zsh. */
export const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** Every step down the tree: the path so far, a space, the next word: ` run`, `switch off`. */
export function commandWords(nodes: readonly CommandNode[]): string[] {
  return nodes.flatMap(({ path, subcommands }) => subcommands.map(({ name }) => `${path} ${name}`));
}

/** Every option that takes a value: the path of its command, a space and the flag. */
export function optionsWithValue(nodes: readonly CommandNode[]): { words: string[]; value: Value }[] {
  return nodes.flatMap(({ path, options }) =>
    options.flatMap(({ flags, value }) =>
      value === undefined ? [] : [{ words: flags.map((flag) => `${path} ${flag}`), value }],
    ),
  );
}
