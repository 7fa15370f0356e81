import type { Command } from 'commander';
import type { Shell } from '../choices.ts';
import { bashCompletion } from '../completion/bash.ts';
import { commandTree } from '../completion/command-tree.ts';
import { fishCompletion } from '../completion/fish.ts';
import { zshCompletion } from '../completion/zsh.ts';
import type { Session } from '../session.ts';

const SCRIPTS = { bash: bashCompletion, zsh: zshCompletion, fish: fishCompletion } as const satisfies Record<
  Shell,
  unknown
>;

/** `payouts completion SHELL`: a script made from the current commands; it runs no command when it completes. */
export function completion(session: Session, program: Command, shell: Shell): void {
  const script = SCRIPTS[shell](program.name(), commandTree(program));
  session.output.result({ shell, script }, script);
}
