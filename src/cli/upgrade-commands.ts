import { wholeNumber } from './arguments.ts';
import { lazily } from './lazily.ts';
import type { Add, Perform } from './perform.ts';

const pull = lazily(async () => (await import('./commands/histories.ts')).pull);
const replay = lazily(async () => (await import('./commands/replay.ts')).replay);

export function addHistories(command: Add, perform: Perform): void {
  command('pull', 'write the histories of open workflows to a folder, one file each')
    .requiredOption('--to <dir>', 'the folder; made where there is none')
    .option('--query <query>', 'those that answer to this visibility query as well')
    .option('--limit <n>', 'so many at most', wholeNumber, 1_000)
    .action((options) => perform((s) => pull(s, options)));
}

/** Before another build goes out. */
export function addUpgrading(command: Add, perform: Perform): void {
  command('replay <dir>', 'replay every history of a folder with the workflow code of this build').action((dir) =>
    perform((s) => replay(s, dir)),
  );
}
