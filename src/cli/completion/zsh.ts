import { type CommandNode, commandWords, optionsWithValue, quoted, type Value } from './command-tree.ts';

/** A completion script for zsh: sourced, or saved as `_payouts` in a folder of `fpath`. */
export function zshCompletion(program: string, nodes: readonly CommandNode[]): string {
  const withValue = optionsWithValue(nodes);
  return `#compdef ${program}
# Completion of ${program} for zsh: source it, or save it as _${program} in a folder of fpath.
_${program}() {
  local current="\${words[CURRENT]}" previous="\${words[CURRENT - 1]}" at='' number=0 i word
  local -a offered
  for ((i = 2; i < CURRENT; i++)); do
    word="\${words[i]}"
    case "$at $word" in
      (${commandWords(nodes).map(quoted).join(' | ')}) at="\${at:+$at }$word" number=0 ;;
      (${withValue.flatMap(({ words }) => words.map(quoted)).join(' | ')}) i=$((i + 1)) ;;
      (*' -'*) ;;
      (*) number=$((number + 1)) ;;
    esac
  done
  case "$at $previous" in
${withValue.map(({ words, value }) => `    (${words.map(quoted).join(' | ')}) ${offer(value)}return ;;`).join('\n')}
  esac
  if [[ "$current" == -* ]]; then
    case "$at" in
${nodes.map(({ path, options }) => `      (${quoted(path)}) offered=(${options.flatMap(({ flags, description }) => flags.map((flag) => described(flag, description))).join(' ')}) ;;`).join('\n')}
    esac
    _describe -o option offered
    return
  fi
  case "$at $number" in
${nodes.flatMap(argumentCases).join('\n')}
  esac
}

if [[ "\${funcstack[1]}" == _${program} ]]; then
  _${program} "$@"
else
  compdef _${program} ${program}
fi
`;
}

function offer(value: Value): string {
  if (value.kind === 'choices') return `compadd -- ${value.choices.map(quoted).join(' ')}; `;
  return value.kind === 'file' ? '_files; ' : '';
}

/** `word:what it does`; a colon in the word would end it. */
const described = (word: string, description: string): string =>
  quoted(`${word.replaceAll(':', '\\:')}:${description}`);

function argumentCases({ path, subcommands, values }: CommandNode): string[] {
  if (subcommands.length > 0) {
    const commands = subcommands.map(({ name, description }) => described(name, description)).join(' ');
    return [`    (${quoted(`${path} 0`)}) offered=(${commands}); _describe command offered ;;`];
  }
  return values.flatMap((value, number) => {
    const offered = offer(value);
    return offered === '' ? [] : [`    (${quoted(`${path} ${number}`)}) ${offered.replace(/; $/, '')} ;;`];
  });
}
