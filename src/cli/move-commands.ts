import type { Command } from 'commander';
import type { Acts, Add } from './acts.ts';
import { duration, storableText } from './arguments.ts';
import { KEY } from './choices.ts';

const moves = () => import('./commands/own-move.ts');

export function addMoves(command: Add, acts: Acts): void {
  const moving = (made: Command): Command =>
    made
      .option('--note <text>', 'passed to the bank', storableText)
      .option('--reason <text>', 'passed to the bank', storableText)
      .option('--execute-on <date>', 'earliest day to send it, e.g. 2026-03-31')
      .option('--expires-at <time>', "end of the bank's audit, e.g. 2026-03-31T17:00:00Z")
      .option('--fee-cap <amount>', "highest acceptable fee, in the fee's own currency; above it the payout is held")
      .option('--by <name>', 'name of the maker', storableText)
      .option('--key <file>', KEY)
      .option('--yes', 'skip the confirmation', false)
      .option('--detach', 'start and return; needs a stack that stays up (payouts dev)', false)
      .option('--timeout <duration>', 'stop following after this long, e.g. 90s or 10m', duration);
  const named = (usage: string, description: string): Command =>
    command(usage, description)
      .requiredOption('--id <id>', 'your own document number; together with the uid it is the permanent identity')
      .requiredOption('--uid <uid>', "the bank's user id of both accounts");
  moving(
    named('transfer', 'move money between two accounts of one user and one currency')
      .requiredOption('--from <account>', 'the paying account')
      .requiredOption('--to <account>', 'the receiving account')
      .requiredOption('--amount <amount>', 'the amount, in the currency of the accounts'),
  ).action(acts(moves, 'move', 'transfer'));
  moving(
    named('exchange', 'buy another currency from one account of a user into another')
      .requiredOption('--sell <account>', 'the paying account')
      .requiredOption('--buy <account>', 'the receiving account')
      .requiredOption('--amount <amount>', 'the amount to buy')
      .requiredOption('--currency <code>', 'the currency to buy, that of the receiving account')
      .option('--max-slippage <fraction>', 'how much worse the rate may get without approval: 0.01 is one per cent'),
  ).action(acts(moves, 'move', 'exchange'));
}
