import { type Command, Option } from 'commander';
import { canary, duration, keptText, rowNumbers } from './arguments.ts';
import { KEY } from './choices.ts';
import { lazily } from './lazily.ts';
import type { Add, Perform } from './perform.ts';

const watch = lazily(async () => (await import('./commands/inspect.ts')).watch);
const retry = lazily(async () => (await import('./commands/retry.ts')).retry);
const run = lazily(async () => (await import('./commands/run.ts')).run);
const validate = lazily(async () => (await import('./commands/validate.ts')).validate);

/** The commands that take a file, pay again what was not paid, and follow a batch. */
export function addPaying(command: Add, perform: Perform): void {
  const taking = (usage: string, description: string): Command =>
    command(usage, description)
      .option('--mapping <file>', 'mapping file for bank messages (JSON)')
      .option('--payees <file>', 'payee directory for bank messages (CSV)');
  const paying = (made: Command): Command =>
    made
      .option('--yes', 'skip the confirmation', false)
      .option('--dry-run', 'stop after the plan', false)
      .option('--detach', 'start and return; needs a running stack', false)
      .option('--plan <hash>', 'pay only if the plan still has this hash')
      .option('--canary <rows>', 'pay this many rows first, and the rest once all of them are completed', canary)
      .option('--allow-look-alikes', 'do not hold rows that look like a recent payout', false)
      .option('--timeout <duration>', 'stop following after this long, e.g. 90s or 10m', duration)
      .option('--by <name>', 'name of the maker', keptText)
      .option('--key <file>', KEY);
  taking('validate <file>', 'show all findings of a file; sends nothing').action((file, files) =>
    perform((session) => validate(session, file, files)),
  );
  paying(taking('run <file>', 'validate, plan, confirm, start, follow, report'))
    .addOption(
      new Option('--invalid <how>', 'what to do if rows have findings').choices(['stop', 'skip']).default('stop'),
    )
    .action((file, { timeout, ...options }) =>
      perform((session) => run(session, file, { ...options, timeoutMs: timeout })),
    );
  paying(command('retry <id>', 'pay again the rows of a batch that are proven unpaid, under new references'))
    .option('--rows <list>', 'only these data rows, e.g. 3,7-9', rowNumbers)
    .action((id, { timeout, ...options }) =>
      perform((session) => retry(session, id, { ...options, timeoutMs: timeout })),
    );
  command('watch <id>', 'follow a batch to its end')
    .option('--timeout <duration>', 'stop following after this long, e.g. 90s or 10m', duration)
    .action((id, { timeout }) => perform((session) => watch(session, id, { timeoutMs: timeout })));
}
