import { wholeNumber } from './arguments.ts';
import { lazily } from './lazily.ts';
import type { Add, Perform } from './perform.ts';

const pull = lazily(async () => (await import('./commands/histories.ts')).pull);
const replay = lazily(async () => (await import('./commands/replay.ts')).replay);

export function addHistories(command: Add, perform: Perform): void {
  command('pull', 'write the histories of open workflows to a folder, one file each')
    .requiredOption('--to <dir>', 'the folder; created if missing')
    .option('--query <query>', 'only workflows that also match this visibility query')
    .option('--limit <n>', 'at most this many', wholeNumber, 1_000)
    .action((options) => perform((s) => pull(s, options)));
}

/** Before another build goes out. */
export function addUpgrading(command: Add, perform: Perform): void {
  command('replay <dir>', 'replay every history of a folder with the workflow code of this build').action((dir) =>
    perform((s) => replay(s, dir)),
  );
}
