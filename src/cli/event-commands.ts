import { Option } from 'commander';
import { EVENT_KINDS } from '../domain/events-out.ts';
import type { Acts, Add } from './acts.ts';
import { wholeNumber } from './arguments.ts';
import { confirmed } from './signed-options.ts';

const events = () => import('./commands/events.ts');

export function addEvents(command: Add, acts: Acts): void {
  command('list', 'list the newest events, or those from a position', { isDefault: true })
    .option('--from <position>', 'first position', wholeNumber)
    .addOption(new Option('--kind <kind>', 'only these').choices(Object.keys(EVENT_KINDS)))
    .option('--limit <n>', 'maximum number of events', wholeNumber, 50)
    .action(acts(events, 'listEvents'));
  command('status', 'show the progress of each subscription, and what delays it').action(acts(events, 'eventsStatus'));
  confirmed(command('replay', 'send events to a subscription again from a position'))
    .requiredOption('--from <position>', 'first position', wholeNumber)
    .requiredOption('--to <name>', 'the subscription')
    .action(acts(events, 'replayEvents'));
  confirmed(command('forget <name>', 'stop keeping events for a subscription that is no longer configured')).action(
    acts(events, 'forgetEvents'),
  );
}
