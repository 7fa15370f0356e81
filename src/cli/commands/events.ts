import { EVENT_KINDS } from '../../domain/events-out.ts';
import { command, group, option } from '../command.ts';
import { CONFIRMED, namesIn, wholeNumber } from '../options.ts';

const list = command('list', 'list the newest events, or those from a position', {
  examples: [
    ['payouts events list --from 1 --json', 'all, as one JSON document'],
    ['payouts events list --kind payout.incident', 'only one kind'],
  ],
  isDefault: true,
  options: [
    option('--from <position>', 'first position', { parse: wholeNumber }),
    option('--kind <kind>', 'only these', { choices: namesIn(EVENT_KINDS) }),
    option('--limit <n>', 'maximum number of events', { parse: wholeNumber, default: 50 }),
  ],
  action: async () => (await import('../event-log.ts')).listEvents,
});

const status = command('status', 'show the progress of each subscription, and what delays it', {
  examples: [['payouts events status', 'show the progress of each subscription, and what delays it']],
  action: async () => (await import('../event-log.ts')).eventsStatus,
});

const replay = command('replay', 'send events to a subscription again from a position', {
  examples: [
    ['payouts events replay --from 1204 --to erp', 'send again from this position'],
    ['payouts events replay --from 1 --to erp --by alice --yes', 'send everything again, without confirmation'],
  ],
  options: [
    ...CONFIRMED,
    option('--from <position>', 'first position', { parse: wholeNumber, required: true }),
    option('--to <name>', 'the subscription', { required: true }),
  ],
  action: async () => (await import('../event-log.ts')).replayEvents,
});

const forget = command('forget <name>', 'stop keeping events for a subscription that is no longer configured', {
  examples: [['payouts events forget erp', 'it is not configured any more']],
  options: CONFIRMED,
  action: async () => (await import('../event-log.ts')).forgetEvents,
});

export const events = group('events', 'events for other systems: webhooks and mails', {
  examples: [['payouts events', 'the newest events, and their positions']],
  commands: [list, status, replay, forget],
});
