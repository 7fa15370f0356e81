import type { Command } from 'commander';
import { duration, keptText } from './arguments.ts';
import { KEY } from './choices.ts';
import { lazily } from './lazily.ts';
import type { Add, Perform } from './perform.ts';

const move = lazily(async () => (await import('./commands/own-move.ts')).move);

/** The commands that move money between accounts of one user. */
export function addMoves(command: Add, perform: Perform): void {
  const moving = (made: Command): Command =>
    made
      .option('--note <text>', 'goes to the bank', keptText)
      .option('--reason <text>', 'goes to the bank', keptText)
      .option('--execute-on <date>', 'not sent before that day, e.g. 2026-03-31')
      .option('--expires-at <time>', "end of the bank's audit, e.g. 2026-03-31T17:00:00Z")
      .option('--fee-cap <amount>', "highest fee, in the fee's own currency; above it people are asked")
      .option('--by <name>', 'who asks for it (the maker)', keptText)
      .option('--key <file>', KEY)
      .option('--yes', 'do not ask', false)
      .option('--detach', 'start and return; needs a stack that stays up', false)
      .option('--timeout <duration>', 'stop following after this long, e.g. 90s or 10m', duration);
  const named = (usage: string, description: string): Command =>
    command(usage, description)
      .requiredOption('--id <id>', 'your own document number: with the uid its identity for ever')
      .requiredOption('--uid <uid>', "the bank's user id, of both accounts");
  moving(
    named('transfer', 'move money between two accounts of one user and one currency')
      .requiredOption('--from <account>', 'account that pays')
      .requiredOption('--to <account>', 'account that receives')
      .requiredOption('--amount <amount>', 'how much, in the currency of the accounts'),
  ).action((options) => perform((session) => move(session, 'transfer', options)));
  moving(
    named('exchange', 'buy another currency, from one account of a user into another one')
      .requiredOption('--sell <account>', 'account that pays')
      .requiredOption('--buy <account>', 'account that receives')
      .requiredOption('--amount <amount>', 'how much is bought')
      .requiredOption('--currency <code>', 'what is bought: the currency of the account that receives')
      .option('--max-slippage <fraction>', 'how much worse the rate may get unasked: 0.01 is one per cent'),
  ).action((options) => perform((session) => move(session, 'exchange', options)));
}
