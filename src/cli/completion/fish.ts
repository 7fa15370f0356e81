import { type CommandNode, commandWords, optionsWithValue, type Value } from './command-tree.ts';

/** A completion script for fish: sourced, or saved as `payouts.fish` in a folder of `fish_complete_path`. */
export function fishCompletion(program: string, nodes: readonly CommandNode[]): string {
  const lines = nodes.flatMap((node) => linesOf(program, node));
  return `# Completion of ${program} for fish: source it, or save it as ${program}.fish in a folder of completions.
function __${program}_at
    set -l at
    set -l number 0
    set -l is_value false
    for word in (commandline -opc)[2..]
        if $is_value
            set is_value false
            continue
        end
        switch "$at $word"
            case ${commandWords(nodes).map(quoted).join(' ')}
                set at (string trim "$at $word")
                set number 0
            case ${optionsWithValue(nodes)
              .flatMap(({ words }) => words.map(quoted))
              .join(' ')}
                set is_value true
            case '* -*'
            case '*'
                set number (math $number + 1)
        end
    end
    test "$at" = "$argv[1]"; and test (count $argv) -lt 2 -o "$number" = "$argv[2]"
end

complete -c ${program} -f
${lines.join('\n')}
`;
}

function linesOf(program: string, { path, subcommands, options, values }: CommandNode): string[] {
  const at = `complete -c ${program} -n ${quoted(`__${program}_at ${quoted(path)}`)}`;
  const argument = (number: number): string =>
    `complete -c ${program} -n ${quoted(`__${program}_at ${quoted(path)} ${number}`)}`;
  return [
    ...subcommands.map(({ name, description }) => `${argument(0)} -a ${quoted(name)} -d ${quoted(description)}`),
    ...options.map(({ flags, description, value }) => {
      const names = flags.map((flag) => (flag.startsWith('--') ? `-l ${flag.slice(2)}` : `-s ${flag.slice(1)}`));
      return `${at} ${names.join(' ')}${value === undefined ? '' : ` -r${offer(value)}`} -d ${quoted(description)}`;
    }),
    ...values.flatMap((value, number) => (value.kind === 'free' ? [] : [`${argument(number)}${offer(value)}`])),
  ];
}

function offer(value: Value): string {
  if (value.kind === 'choices') return ` -f -a ${quoted(value.choices.join(' '))}`;
  return value.kind === 'file' ? ' -F' : ' -f';
}

/** The word in single quotes, escaped for fish. */
const quoted = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
