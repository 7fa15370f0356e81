import type { CommandNode, Value } from './command-tree.ts';

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
