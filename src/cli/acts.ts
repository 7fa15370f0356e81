import type { Command, CommandOptions } from 'commander';
import { EXIT, type ExitCode } from './exit.ts';
import type { Session } from './session.ts';

/** Adds a command to its group. */
export type Add = (usage: string, description: string, options?: CommandOptions) => Command;

/** Does what a command does, in a session of its own. */
export type Perform = (action: (session: Session) => Promise<ExitCode>) => Promise<void>;

/** A command that says nothing has done what it was asked for. */
type Answer = Promise<ExitCode> | Promise<void> | ExitCode | void;

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
    perform(async (session) => {
      const does = (await load())[name];
      return (await does(session, ...([...first, ...given] as never[]))) ?? EXIT.completed;
    });
