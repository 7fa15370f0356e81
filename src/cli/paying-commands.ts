import { type Command, Option } from 'commander';
import type { Acts, Add } from './acts.ts';
import { canary, duration, rowNumbers, storableText } from './arguments.ts';
import { KEY } from './choices.ts';

export function addPaying(command: Add, acts: Acts): void {
  const taking = (usage: string, description: string): Command =>
    command(usage, description)
      .option('--mapping <file>', 'mapping file for bank messages (JSON)')
      .option('--payees <file>', 'payee directory for bank messages (CSV)');
  const paying = (made: Command): Command =>
    made
      .option('--yes', 'skip the confirmation', false)
      .option('--dry-run', 'stop after the plan', false)
      .option('--detach', 'start and return; needs a stack that stays up (payouts dev)', false)
      .option('--plan <hash>', 'pay only if the plan still has this hash')
      .option('--canary <rows>', 'pay this many rows first, and the rest once all of them are completed', canary)
      .option('--allow-look-alikes', 'do not hold rows that look like a recent payout', false)
      .option('--timeout <duration>', 'stop following after this long, e.g. 90s or 10m', duration)
      .option('--by <name>', 'name of the maker', storableText)
      .option('--key <file>', KEY);
  taking('validate <file>', 'show all findings of a file; sends nothing').action(
    acts(() => import('./run.ts'), 'validate'),
  );
  paying(taking('run <file>', 'validate, plan, confirm, start, follow, report'))
    .addOption(
      new Option('--invalid <how>', 'what to do if rows have findings').choices(['stop', 'skip']).default('stop'),
    )
    .action(acts(() => import('./run.ts'), 'run'));
  paying(command('retry <id>', 'pay again the rows of a batch that are proven unpaid, under new references'))
    .option('--rows <list>', 'only these data rows, e.g. 3,7-9', rowNumbers)
    .action(acts(() => import('./run.ts'), 'retry'));
  command('watch <id>', 'follow a batch to its end')
    .option('--timeout <duration>', 'stop following after this long, e.g. 90s or 10m', duration)
    .action(acts(() => import('./inspect.ts'), 'watch'));
}

const moves = () => import('./own-move.ts');

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
