import { type CommandNode, commandWords, optionsWithValue, quoted, type Value } from './command-tree.ts';

/** A completion script for bash 3.2 and later; needs no completion package. */
export function bashCompletion(program: string, nodes: readonly CommandNode[]): string {
  const withValue = optionsWithValue(nodes);
  return `# Completion of ${program} for bash: source it, or save it where your completions are.
_${program}() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD - 1]}" at='' number=0 i word
  for ((i = 1; i < COMP_CWORD; i++)); do
    word="\${COMP_WORDS[i]}"
    case "$at $word" in
      ${commandWords(nodes).map(quoted).join(' | ')}) at="\${at:+$at }$word" number=0 ;;
      ${withValue.flatMap(({ words }) => words.map(quoted)).join(' | ')}) i=$((i + 1)) ;;
      *' -'*) ;;
      *) number=$((number + 1)) ;;
    esac
  done
  COMPREPLY=()
  case "$at $previous" in
${withValue.map(({ words, value }) => `    ${words.map(quoted).join(' | ')}) ${offer(value)}return ;;`).join('\n')}
  esac
  case "$current" in
    -*)
      case "$at" in
${nodes.map(({ path, options }) => `        ${quoted(path)}) _${program}_words ${quoted(options.flatMap(({ flags }) => flags).join(' '))} ;;`).join('\n')}
      esac
      return ;;
  esac
  case "$at $number" in
${nodes.flatMap(argumentCases).join('\n')}
  esac
}

_${program}_words() {
  local word
  while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen -W "$1" -- "$current")
}

_${program}_files() {
  local word
  while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen -f -- "$current")
}

complete -o filenames -F _${program} ${program}
`;

  function offer(value: Value): string {
    if (value.kind === 'choices') return `_${program}_words ${quoted(value.choices.join(' '))}; `;
    return value.kind === 'file' ? `_${program}_files; ` : '';
  }

  function argumentCases({ path, subcommands, values }: CommandNode): string[] {
    if (subcommands.length > 0) {
      return [
        `    ${quoted(`${path} 0`)}) _${program}_words ${quoted(subcommands.map(({ name }) => name).join(' '))} ;;`,
      ];
    }
    return values.flatMap((value, number) => {
      const offered = offer(value);
      return offered === '' ? [] : [`    ${quoted(`${path} ${number}`)}) ${offered.replace(/; $/, '')} ;;`];
    });
  }
}
