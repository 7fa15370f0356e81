import type { Command, CommandOptions } from 'commander';
import type { ExitCode } from './exit.ts';
import type { Session } from './session.ts';

/** Adds a command to its group. */
export type Add = (usage: string, description: string, options?: CommandOptions) => Command;

type Answer = Promise<ExitCode> | ExitCode;

/** Does what a command does, in a session of its own. */
export type Perform = (action: (session: Session) => Answer) => Promise<void>;

/**
 * What a command does: the function `name` of a module that is loaded when the command runs, so that `--help` loads nothing of what
 * any command does. It is given a session, `first`, and what commander gives: the arguments, the options, and the command.
 */
export type Acts = <Name extends string>(
  load: () => Promise<Readonly<Record<Name, (session: Session, ...given: never[]) => Answer>>>,
  name: Name,
  ...first: readonly unknown[]
) => (...given: unknown[]) => Promise<void>;

export const actsIn =
  (perform: Perform): Acts =>
  (load, name, ...first) =>
  (...given) =>
    perform(async (session) => (await load())[name](session, ...([...first, ...given] as never[])));
