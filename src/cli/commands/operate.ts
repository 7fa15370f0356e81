import { PROCESSES } from '../../platform/config/holdings.ts';
import {
  ACCEPTABLE,
  BY,
  CONFIRMED,
  command,
  duration,
  group,
  namesIn,
  option,
  port,
  storableText,
  wholeNumber,
} from '../command.ts';

const INVALID = option('--invalid <how>', 'what to do with files that have findings', {
  choices: ['stop', 'skip'],
  default: 'stop',
});
const FILES_BY = option('--by <name>', 'name of the maker of the files', { parse: storableText });

export const demo = command('demo', 'pay the examples on the embedded stack (what npm start runs)', {
  examples: [['payouts demo', 'pay the examples at a sandbox bank, on a real Temporal server']],
  inPlaceOnly: true,
  action: async () => (await import('../demo.ts')).demo,
});

export const dev = command('dev', 'keep the embedded stack running: Temporal, sandbox bank, worker, gateway', {
  examples: [
    ['payouts dev', 'on free ports'],
    ['payouts dev --temporal-port 7233 --ui-port 8233', 'on given ports'],
  ],
  options: [
    option('--temporal-port <port>', 'port of the Temporal server', { parse: port }),
    option('--ui-port <port>', 'port of the Temporal UI', { parse: port }),
    option('--api-port <port>', 'port of the sandbox bank', { parse: port }),
    option('--gateway-port <port>', 'port of the gateway', { parse: port }),
  ],
  inPlaceOnly: true,
  action: async () => (await import('../processes.ts')).dev,
});

export const worker = command('worker', 'run a worker', {
  examples: [['payouts worker', 'one more for the running stack or, with the settings of a cluster, for that']],
  inPlaceOnly: true,
  action: async () => (await import('../processes.ts')).worker,
});

export const mcp = command(
  'mcp',
  'serve agents over the Model Context Protocol on stdin and stdout: reads, never decides',
  {
    examples: [['PAYOUTS_GATEWAY_URL=https://payouts.example.com payouts mcp', 'for the settings of an agent']],
    action: async () => (await import('../mcp.ts')).mcp,
  },
);

export const sandbox = command('sandbox', 'run the sandbox bank alone', {
  examples: [['payouts sandbox --port 8080 --file bank.sqlite', 'a sandbox bank with its own books']],
  options: [
    option('--port <port>', 'port to listen on', { parse: port }),
    option('--host <host>', 'address to listen on', { default: '127.0.0.1' }),
    option('--file <path>', 'SQLite file of its books'),
  ],
  inPlaceOnly: true,
  action: async () => (await import('../processes.ts')).sandbox,
});

/** Takes files over HTTP. */
export const gateway = command('gateway', 'accept files over HTTP, and show the pages', {
  examples: [
    ['payouts gateway --port 8090', 'on this machine, without a token'],
    [
      'PAYOUTS_GATEWAY_TOKEN_FILE=tokens PAYOUTS_GATEWAY_TRUSTED_PROXY=192.0.2.7 payouts gateway --host 0.0.0.0 --port 8090',
      'for other machines, through a proxy that speaks TLS',
    ],
  ],
  options: [
    option('--port <port>', 'port to listen on', { parse: port, default: 0, defaultText: 'a free one' }),
    option('--host <host>', 'address to listen on; another machine needs a token and TLS', { default: '127.0.0.1' }),
  ],
  inPlaceOnly: true,
  action: async () => (await import('../processes.ts')).gateway,
});

export const intake = command('intake <dir>', 'pay files dropped into DIR/in; reports appear in DIR/out', {
  examples: [
    ['payouts intake drop', 'pay files dropped into drop/in, until Ctrl-C'],
    ['payouts intake drop --once --by alice', 'only the files that are there now'],
  ],
  options: [INVALID, FILES_BY, option('--once', 'process the files that are there, then end', { default: false })],
  inPlaceOnly: true,
  action: async () => (await import('../drop-folders.ts')).intake,
});

const createSchedule = command('create', 'have the workers process a drop folder at intervals', {
  examples: [
    ['payouts schedule create --folder /srv/drop --every 5m', 'named drop'],
    [
      'payouts schedule create --folder /srv/drop --every 1h --name payroll --invalid skip',
      'with a name of your choice',
    ],
  ],
  options: [
    INVALID,
    FILES_BY,
    option('--folder <dir>', 'path of the drop folder on the workers', { required: true }),
    option('--every <duration>', 'e.g. 5m or 1h', { parse: duration, required: true }),
    option('--name <name>', 'name of the schedule (default: name of the folder)'),
  ],
  inPlaceOnly: true,
  action: async () => (await import('../drop-folders.ts')).createSchedule,
});

const listSchedules = command('list', 'list the schedules and when they are due', {
  examples: [['payouts schedule list', 'names, folders, and when they are due']],
  inPlaceOnly: true,
  action: async () => (await import('../drop-folders.ts')).listSchedules,
});

const step = (name: 'delete' | 'pause' | 'resume' | 'trigger', description: string, does: string) =>
  command(`${name} <name>`, description, {
    examples: [[`payouts schedule ${name} drop`, does]],
    inPlaceOnly: true,
    first: [name],
    action: async () => (await import('../drop-folders.ts')).changeSchedule,
  });

export const schedule = group('schedule', 'have workers process drop folders at intervals', {
  examples: [
    ['payouts schedule create --folder /srv/drop --every 5m', 'the workers process the folder every 5 minutes'],
  ],
  commands: [
    createSchedule,
    listSchedules,
    step('delete', 'delete a schedule; files in progress continue', 'stop processing the folder'),
    step('pause', 'pause a schedule until it is resumed', 'pause it'),
    step('resume', 'resume a paused schedule', 'resume it'),
    step('trigger', 'process the folder now', 'process the folder now'),
  ],
});

export const doctor = command('doctor', 'check Node, Temporal, bank, store and folders', {
  examples: [['payouts doctor', 'what works, and how to fix the rest']],
  options: [
    option('--accept <part>', 'confirm a changed bank address, account list, API key or Temporal as the same one', {
      choices: namesIn(ACCEPTABLE),
    }),
    option('--as <process>', 'report secrets that are set here and that such a process does not need', {
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
  action: async () => (await import('../replay-histories.ts')).pull,
});

export const histories = group('histories', 'save the histories of open workflows', {
  examples: [['payouts histories pull --to open', 'open workflows, one file each']],
  commands: [pull],
});

export const replay = command('replay <dir>', 'replay every history of a folder with the workflow code of this build', {
  examples: [['payouts replay open', 'before a rollout: exit code 0 if all replay, 5 if one does not']],
  action: async () => (await import('../replay-histories.ts')).replay,
});

const configPath = command('path', 'print where your configuration file is', {
  examples: [['payouts config path', 'the file that payouts config set writes']],
  action: async () => (await import('../config-actions.ts')).configPath,
});

const setConfig = command(
  'set <name> <value>',
  'write a setting into your configuration file; an empty value removes it',
  {
    examples: [
      ['payouts config set api_url https://bank.example.com', 'which bank'],
      ['payouts config set api_key_file ~/.secrets/bank-key', 'a secret by its file'],
      ['payouts config set api_url http://127.0.0.1:8080 --profile test', 'in a profile'],
      ["payouts config set api_url ''", 'remove it'],
    ],
    options: [option('--folder', 'write payouts.toml of this folder, which may set little', { default: false })],
    action: async () => (await import('../config-actions.ts')).setConfig,
  },
);

const showConfig = command('show', 'show what is set and where each value comes from, by subject', {
  examples: [
    ['payouts config show', 'what is set; secrets are hidden'],
    ['payouts config show --all', 'every setting, with its default'],
  ],
  options: [option('--all', 'also what has its default', { default: false })],
  action: async () => (await import('../config-actions.ts')).showConfig,
});

const checkConfig = command('check', 'show every problem of the settings', {
  examples: [['payouts config check --profile test', 'every problem of a profile']],
  action: async () => (await import('../config-actions.ts')).checkConfig,
});

export const config = group('config', 'show and change the settings in your configuration file', {
  examples: [
    ['payouts config set api_url https://bank.example.com', 'pay at this bank from now on'],
    ['payouts config show', 'what is set, and where'],
  ],
  commands: [setConfig, showConfig, checkConfig, configPath],
});
