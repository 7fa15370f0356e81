import type { Command, CommandOptions } from 'commander';
import { EXIT, type ExitCode } from './exit.ts';
import type { Session } from './session.ts';

export type Add = (usage: string, description: string, options?: CommandOptions) => Command;

/** Runs the action of a command in its own session. */
export type Perform = (action: (session: Session) => Promise<ExitCode>) => Promise<void>;

/** A command that returns nothing has succeeded. */
type Answer = Promise<ExitCode> | Promise<void> | ExitCode | void;

/**
 * The action of a command: the function `name` of a module that is loaded when the command runs, so that `--help` loads no
 * command's code. It gets a session, `first`, and what commander passes: the arguments, the options, and the command.
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
