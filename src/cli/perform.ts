import type { Command, CommandOptions } from 'commander';
import type { ExitCode } from './exit.ts';
import type { Session } from './session.ts';

/** Adds a command to its group. */
export type Add = (usage: string, description: string, options?: CommandOptions) => Command;

/** What a command does. */
type Action = (session: Session) => Promise<ExitCode> | ExitCode;

/** Does it in a session of its own. */
export type Perform = (action: Action) => Promise<void>;
