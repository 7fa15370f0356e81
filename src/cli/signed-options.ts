import type { Command } from 'commander';
import { storableText } from './arguments.ts';
import { KEY } from './choices.ts';

/** Of a command that asks before it acts, and is told in whose name it does. */
export const confirmed = (command: Command): Command =>
  command
    .option('--yes', 'skip the confirmation', false)
    .option('--by <name>', 'your name (default: the user of this machine)', storableText);

/** The same, signed where a policy asks for that. */
export const signed = (command: Command): Command => confirmed(command).option('--key <file>', KEY);
