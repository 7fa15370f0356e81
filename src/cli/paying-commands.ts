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
    acts(() => import('./commands/validate.ts'), 'validate'),
  );
  paying(taking('run <file>', 'validate, plan, confirm, start, follow, report'))
    .addOption(
      new Option('--invalid <how>', 'what to do if rows have findings').choices(['stop', 'skip']).default('stop'),
    )
    .action(acts(() => import('./commands/run.ts'), 'run'));
  paying(command('retry <id>', 'pay again the rows of a batch that are proven unpaid, under new references'))
    .option('--rows <list>', 'only these data rows, e.g. 3,7-9', rowNumbers)
    .action(acts(() => import('./commands/retry.ts'), 'retry'));
  command('watch <id>', 'follow a batch to its end')
    .option('--timeout <duration>', 'stop following after this long, e.g. 90s or 10m', duration)
    .action(acts(() => import('./commands/inspect.ts'), 'watch'));
}
