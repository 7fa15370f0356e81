import type { Acts, Add } from './acts.ts';
import { wholeNumber } from './arguments.ts';

export function addHistories(command: Add, acts: Acts): void {
  command('pull', 'write the histories of open workflows to a folder, one file each')
    .requiredOption('--to <dir>', 'the folder; created if missing')
    .option('--query <query>', 'only workflows that also match this visibility query')
    .option('--limit <n>', 'at most this many', wholeNumber, 1_000)
    .action(acts(() => import('./commands/histories.ts'), 'pull'));
}

export function addUpgrading(command: Add, acts: Acts): void {
  command('replay <dir>', 'replay every history of a folder with the workflow code of this build').action(
    acts(() => import('./commands/replay.ts'), 'replay'),
  );
}
