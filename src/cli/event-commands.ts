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
  command('list', 'the newest events, or those from a position on', { isDefault: true })
    .option('--from <position>', 'the first one', wholeNumber)
    .addOption(new Option('--kind <kind>', 'only these').choices(Object.keys(EVENT_KINDS)))
    .option('--limit <n>', 'so many', wholeNumber, 50)
    .action((options) => perform((s) => listEvents(s, options)));
  command('status', 'how far each subscription is told, and what keeps it').action(() =>
    perform((s) => eventsStatus(s)),
  );
  command('replay', 'tell a subscription everything from a position on again')
    .requiredOption('--from <position>', 'the first one', wholeNumber)
    .requiredOption('--to <name>', 'the subscription')
    .option('--by <name>', 'who asks (default: the user of this machine)', keptText)
    .option('--yes', 'do not ask', false)
    .action((options) => perform((s) => replayEvents(s, options)));
  command('forget <name>', 'keep no events any more for a subscription that is not configured')
    .option('--by <name>', 'who asks (default: the user of this machine)', keptText)
    .option('--yes', 'do not ask', false)
    .action((name, options) => perform((s) => forgetEvents(s, name, options)));
}
