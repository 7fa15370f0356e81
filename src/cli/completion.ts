import { type Complete, RootCommand } from '@bomb.sh/tab';
import type { Argument, Command, Option } from 'commander';
import type { Shell } from './command.ts';
import type { Session } from './session.ts';

/** `payouts completion SHELL`: a script that asks `payouts complete -- WORD...` at every TAB. */
export function completion(session: Session, program: Command, shell: Shell): void {
  const script = printed(() => new RootCommand().setup(program.name(), program.name(), shell));
  const whole = shell === 'bash' ? forAnyBash(script) : script;
  session.output.result({ shell, script: whole }, whole);
}

/** What may replace the last word, a line each, as the scripts read it. */
export function completed(program: Command, words: readonly string[]): string {
  return printed(() => treeOf(program).parse([...words]));
}

/** Arguments and values of options that name files are called so. */
const FILES: ReadonlySet<string> = new Set(['file', 'path', 'dir', 'folder']);

/** Last line for the scripts: nothing but what is printed, or also the files that the shell finds. */
const ONLY_THESE = 4;
const FILES_TOO = 0;

function treeOf(program: Command): RootCommand {
  const root = new RootCommand();
  let directive = ONLY_THESE;
  // The package says `ONLY_THESE` always.
  Object.defineProperty(root, 'directive', { get: () => directive, set: () => undefined });
  const offer =
    ({ argChoices = [] }: Option | Argument, name: string) =>
    (complete: Complete): void => {
      if (FILES.has(name)) directive = FILES_TOO;
      for (const choice of argChoices) complete(choice, '');
    };
  const add = (command: Command, path: string): void => {
    const help = command.createHelp();
    const node = path === '' ? root : root.command(path, command.description());
    for (const option of help.visibleOptions(command)) {
      const { long, short, required, optional, description, flags } = option;
      if (long == null) continue;
      const takes = required || optional ? offer(option, /<(.*)>/.exec(flags)?.[1] ?? '') : undefined;
      if (takes === undefined) node.option(long.slice(2), description, short?.slice(1));
      else node.option(long.slice(2), description, takes, short?.slice(1));
    }
    for (const argument of command.registeredArguments)
      node.argument(argument.name(), offer(argument, argument.name()), argument.variadic);
    for (const below of help.visibleCommands(command)) add(below, `${path} ${below.name()}`.trim());
  };
  add(program, '');
  return root;
}

/**
 * The script of the package needs bash-completion, which macOS and small images lack, cannot be read twice, and keeps bash from
 * offering files.
 */
function forAnyBash(script: string): string {
  const words = `declare -F _get_comp_words_by_ref >/dev/null || _get_comp_words_by_ref() {
    cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD - 1]} words=("\${COMP_WORDS[@]}") cword=$COMP_CWORD
}
`;
  return words + script.replaceAll(/^readonly /gm, '').replace(/^complete -F /m, 'complete -o default -F ');
}

/** The package prints with `console.log`. */
function printed(print: () => void): string {
  const { log } = console;
  const lines: string[] = [];
  console.log = (line: string) => lines.push(line);
  try {
    print();
  } finally {
    console.log = log;
  }
  return `${lines.join('\n')}\n`;
}
