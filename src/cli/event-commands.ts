import { Option } from 'commander';
import { EVENT_KINDS } from '../domain/events-out.ts';
import { keptText, wholeNumber } from './arguments.ts';
import { lazily } from './lazily.ts';
import type { Add, Perform } from './perform.ts';

const eventsStatus = lazily(async () => (await import('./commands/events.ts')).eventsStatus);
const forgetEvents = lazily(async () => (await import('./commands/events.ts')).forgetEvents);
const listEvents = lazily(async () => (await import('./commands/events.ts')).listEvents);
const replayEvents = lazily(async () => (await import('./commands/events.ts')).replayEvents);

export function addEvents(command: Add, perform: Perform): void {
  command('list', 'list the newest events, or those from a position', { isDefault: true })
    .option('--from <position>', 'first position', wholeNumber)
    .addOption(new Option('--kind <kind>', 'only these').choices(Object.keys(EVENT_KINDS)))
    .option('--limit <n>', 'maximum number of events', wholeNumber, 50)
    .action((options) => perform((s) => listEvents(s, options)));
  command('status', 'show the progress of each subscription, and what delays it').action(() =>
    perform((s) => eventsStatus(s)),
  );
  command('replay', 'send events to a subscription again from a position')
    .requiredOption('--from <position>', 'first position', wholeNumber)
    .requiredOption('--to <name>', 'the subscription')
    .option('--by <name>', 'your name (default: the user of this machine)', keptText)
    .option('--yes', 'skip the confirmation', false)
    .action((options) => perform((s) => replayEvents(s, options)));
  command('forget <name>', 'stop keeping events for a subscription that is no longer configured')
    .option('--by <name>', 'your name (default: the user of this machine)', keptText)
    .option('--yes', 'skip the confirmation', false)
    .action((name, options) => perform((s) => forgetEvents(s, name, options)));
}
