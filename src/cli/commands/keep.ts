import { PROCESSES } from '../../platform/config/holdings.ts';
import { command, group, option } from '../command.ts';
import { ACCEPTABLE, BY, CONFIRMED, namesIn, wholeNumber } from '../options.ts';

export const doctor = command('doctor', 'check Node, Temporal, bank, store and folders', {
  examples: [['payouts doctor', 'what works, and how to fix the rest']],
  options: [
    option('--accept <part>', 'confirm a changed bank address, account list, API key or Temporal as the same one', {
      choices: namesIn(ACCEPTABLE),
    }),
    option('--as <process>', 'name the secrets here that such a process does not need', {
      choices: namesIn(PROCESSES),
    }),
    BY,
  ],
  action: async () => (await import('../doctor.ts')).doctor,
});

export const migrate = command(
  'migrate',
  'make or update the tables of the store, and grant the roles of its PostgreSQL what they need',
  {
    examples: [['payouts migrate', 'make or update the tables of a PostgreSQL store, with the role that owns them']],
    inPlaceOnly: true,
    action: async () => (await import('../store-copies.ts')).migrate,
  },
);

export const backup = command('backup <file>', 'copy the store to a new file; a stack may be running', {
  examples: [['payouts backup store-2026-05-12.sqlite', 'copy and check the store; nothing has to be stopped']],
  inPlaceOnly: true,
  action: async () => (await import('../store-copies.ts')).backup,
});

export const restore = command(
  'restore [file]',
  'replace the store with a copy, or record that PostgreSQL was restored; no stack may be running',
  {
    examples: [
      ['payouts restore store-2026-05-12.sqlite', 'show what it contains, confirm, replace the store'],
      ['payouts restore store-2026-05-12.sqlite --yes --by alice', 'without confirmation'],
      ['payouts restore', 'after pg_restore: record in the restored database that it was restored'],
    ],
    options: CONFIRMED,
    inPlaceOnly: true,
    action: async () => (await import('../store-copies.ts')).restore,
  },
);

const pull = command('pull', 'write the histories of open workflows to a folder, one file each', {
  examples: [
    ['payouts histories pull --to open', 'a thousand open workflows at most'],
    ['payouts histories pull --to open --query \'WorkflowType="payout"\' --limit 100', 'a hundred payouts'],
  ],
  options: [
    option('--to <dir>', 'the folder; created if missing', { required: true }),
    option('--query <query>', 'only workflows that also match this visibility query'),
    option('--limit <n>', 'at most this many', { parse: wholeNumber, default: 1_000 }),
  ],
  inPlaceOnly: true,
  action: async () => (await import('../histories.ts')).pull,
});

export const histories = group('histories', 'save the histories of open workflows', {
  examples: [['payouts histories pull --to open', 'open workflows, one file each']],
  commands: [pull],
});

export const replay = command('replay <dir>', 'replay every history of a folder with the workflow code of this build', {
  examples: [['payouts replay open', 'before a rollout: exit code 0 if all replay, 5 if one does not']],
  action: async () => (await import('../replay-histories.ts')).replay,
});
