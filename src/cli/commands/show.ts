import { EVENT_KINDS } from '../../domain/events-out.ts';
import { ERP_FORMATS } from '../../reports/erp-formats.ts';
import {
  argument,
  BY,
  CONFIRMED,
  command,
  dayEnd,
  dayRange,
  dayStart,
  days,
  group,
  KEY,
  namesIn,
  option,
  payoutStates,
  SHELLS,
  storableText,
  TEMPLATES,
  wholeNumber,
  year,
} from '../command.ts';
import { EXIT } from '../exit.ts';

export const status = command('status <id>', 'show the state of a batch or a payout, and the next step', {
  examples: [
    ['payouts status ID', 'the state of a batch or a payout, and why'],
    ['payouts status INV-4711 --json', 'by document id, as one document'],
  ],
  action: async () => (await import('../inspect.ts')).status,
});

export const report = command(
  'report <id>',
  'write and show the report of a batch, or write it in a format for other software',
  {
    examples: [
      ['payouts report ID', 'write the report files and show the summary'],
      ['payouts report latest --mask', 'a copy to pass on, without payee names and full account numbers'],
      ['payouts report ID --format pain002', 'the current answer to a pain.001, and which one it supersedes'],
      ['payouts report ID --format journal', 'what its orders moved, as a journal for bookkeeping'],
      ['payouts report ID --format camt054', 'the same as a bank advice for other software'],
    ],
    options: [
      option('--mask', 'mask payee names and the paying account, in separate files', { default: false }),
      option('--format <name>', 'pain002: the answer to a pain.001; camt054, journal: what its orders moved', {
        choices: ERP_FORMATS,
        conflicts: 'mask',
      }),
    ],
    action:
      async () =>
      async (session, id, { format, mask }) => {
        if (format === undefined) return (await import('../inspect.ts')).report(session, id, { mask });
        await (await import('../report-files.ts')).erpFile(session, id, format);
        return EXIT.completed;
      },
  },
);

export const open = command('open [id]', 'open the pages in the browser, or one of a batch or a payout', {
  examples: [
    ['payouts open', 'the inbox'],
    ['payouts open latest', 'the newest batch'],
    ['payouts open INV-4711 --print', 'print the address of its page'],
  ],
  options: [option('--print', 'only print the address', { default: false })],
  action: async () => (await import('../open-page.ts')).openPage,
});

export const list = command('list', 'list batches; with a filter, payouts', {
  examples: [
    ['payouts list', 'the newest batches, and how many rows of each wait for people'],
    ['payouts list --text INV-4711', 'find a payout and its state'],
    ['payouts list --state completed,returned --ended today', 'what went out today, and what it cost'],
    ['payouts list --returned', 'what of it came back'],
    [
      'payouts list --ended 2026-03-01..2026-03-31 --account acc-u1001-usd',
      'how everything of a month has ended on an account',
    ],
    ['payouts list --state held,needs-operator --account acc-u1001-usd', 'what is stuck on an account'],
  ],
  options: [
    option('--state <states>', 'payouts in one of these states, e.g. held,needs-operator', { parse: payoutStates }),
    option('--kind <kind>', 'payouts with this reason code, or in this state'),
    option('--account <id>', 'payouts from this account'),
    option('--from <date>', 'submitted on this day (UTC) or later: a date, today or yesterday', { parse: dayStart }),
    option('--to <date>', 'submitted on this day (UTC) or earlier', { parse: dayEnd }),
    option('--ended <days>', 'ended on this day (UTC), or in FIRST..LAST', { parse: dayRange }),
    option('--returned', 'payouts of which money came back'),
    option('--text <text>', 'payouts with this text in an id or in their file name'),
  ],
  action: async () => (await import('../list.ts')).list,
});

export const inbox = command('inbox', 'show what waits for people, across batches, by kind, oldest first', {
  examples: [
    ['payouts inbox', 'what waits for people, with the command for each kind'],
    ['payouts inbox --mine --by bob', 'what bob can decide'],
    ['payouts inbox --kind look-alike --json', 'one kind, as one document'],
  ],
  options: [
    option('--mine', 'only what you can decide', { default: false }),
    option('--kind <kind>', 'only this reason code, or this kind of incident'),
    option('--by <name>', 'your name, with --mine (default: the holder of the key, else the user of this machine)', {
      parse: storableText,
    }),
    KEY,
  ],
  action: async () => (await import('../inbox-actions.ts')).inbox,
});

export const incidents = command('incidents', 'list contradictions between the bank and ended payouts', {
  examples: [['payouts incidents --open', 'incidents that nobody has acknowledged, with their ids']],
  options: [option('--open', 'only unacknowledged ones', { default: false })],
  action: async () => (await import('../inbox-actions.ts')).listIncidents,
});

export const reconcile = command('reconcile', "compare ended payouts with the bank's orders now", {
  examples: [['payouts reconcile --days 7', "compare what ended in a week with the bank's orders"]],
  options: [option('--days <n>', 'how many days back', { parse: days })],
  inPlaceOnly: true,
  action: async () => (await import('../reconcile-now.ts')).reconcile,
});

export const statement = command(
  'statement [files...]',
  'take bank statements, and show where the books of the bank and ours differ',
  {
    examples: [
      ['payouts statement camt053.xml', 'take a statement, and compare it with what payouts moved'],
      ['payouts statement', 'the statements taken, and what is different now'],
      ['payouts statement --orders u-1001', "the bank's own order list and balances, if it sends no statements"],
      ['payouts statement --format csv > differences.csv', 'the differences as a table'],
    ],
    options: [
      option('--orders <uid>', "take the bank's order list of this user as a statement"),
      option('--account <id>', 'show only this account'),
      option('--all', 'also differences that are explained by now', { default: false }),
      option('--format <name>', 'csv: the differences as a table', { choices: ['csv'] }),
      option('--by <name>', 'who hands the statements over', { parse: storableText }),
    ],
    action: async () => (await import('../statement-actions.ts')).statement,
  },
);

const PERIOD_ARGUMENT = 'a day, a month, FIRST..LAST, today or yesterday';

const showPeriod = command('show [period]', `show what the bank booked in a period: ${PERIOD_ARGUMENT}`, {
  examples: [
    ['payouts period show 2026-03', 'what a month adds up to on each account'],
    ['payouts period show 2026-03-01..2026-03-15 --format csv', 'two weeks, as a table'],
    ['payouts period show yesterday --json', 'as one document'],
  ],
  isDefault: true,
  options: [option('--format <name>', 'csv: a line for each account', { choices: ['csv'] })],
  action: async () => (await import('../statement-actions.ts')).showPeriod,
});

const closePeriod = command(
  'close <period>',
  'close a day or a month: its document is kept, and its digest is signed',
  {
    examples: [
      ['payouts period close 2026-03-31', 'close a day; again after a booking that came late'],
      ['payouts period close 2026-03 --by alice', 'close a month'],
    ],
    options: [BY],
    action: async () => (await import('../statement-actions.ts')).closePeriod,
  },
);

const listPeriods = command('list', 'list the closed periods, and which document superseded which', {
  examples: [['payouts period list', 'the closed periods, and which were reopened']],
  action: async () => (await import('../statement-actions.ts')).listPeriods,
});

const periodDocument = command('document <digest>', 'print the document of a closed period, byte for byte', {
  examples: [['payouts period document DIGEST > 2026-03.json', 'to keep elsewhere; sha256sum prints its digest']],
  action: async () => (await import('../statement-actions.ts')).periodDocument,
});

export const period = group('period', 'show what the bank booked on each account in a period, and close it', {
  examples: [['payouts period show 2026-03', 'opening balance, paid, fees, exchanged, returned, closing balance']],
  commands: [showPeriod, closePeriod, listPeriods, periodDocument],
});

export const retention = command(
  'retention',
  'show whose personal data is to be erased, what keeps it, and what was erased',
  {
    examples: [
      ['payouts retention', 'by PAYOUTS_RETENTION_DAYS'],
      ['payouts retention --days 400', 'what that number of days would erase'],
    ],
    options: [option('--days <n>', 'as if PAYOUTS_RETENTION_DAYS were this', { parse: days })],
    action: async () => (await import('../audit-actions.ts')).retention,
  },
);

export const accounts = command('accounts [uid]', 'show balances of a user, or of the master institution', {
  examples: [
    ['payouts accounts u-1001', 'balances of a user'],
    ['payouts accounts', 'balances of the master institution'],
  ],
  action: async () => (await import('../list.ts')).accounts,
});

export const cash = command(
  'cash [uid]',
  'show what accounts hold, what payouts take from them in a week, and where it is short',
  {
    examples: [
      ['payouts cash', 'the accounts of all users with open payouts'],
      ['payouts cash u-1001 --json', 'of one user, as one document'],
    ],
    action: async () => (await import('../list.ts')).cash,
  },
);

export const beneficiaries = command('beneficiaries <uid>', 'list the beneficiaries of a user', {
  examples: [
    ['payouts beneficiaries u-1001 --currency EUR', 'names and account numbers are masked'],
    ['payouts beneficiaries u-1001 --json', 'in full'],
  ],
  options: [option('--currency <code>', 'only this currency')],
  action: async () => (await import('../list.ts')).beneficiaries,
});

export const orders = command('orders <uid> <currency>', "list the bank's orders of a user in one currency", {
  examples: [['payouts orders u-1001 EUR', "the bank's own list"]],
  action: async () => (await import('../list.ts')).orders,
});

export const reference = command('reference <uid> <id>', 'print the reference of a payout', {
  examples: [['payouts reference u-1001 INV-4711', 'the reference of a payout, the key of its workflow id']],
  options: [
    option('--generation <n>', 'generation, from 0', { parse: wholeNumber, default: 0 }),
    option('--kind <kind>', 'kind of the document', { choices: ['payout', 'transfer', 'exchange'], default: 'payout' }),
  ],
  action: async () => (await import('../list.ts')).reference,
});

const listEvents = command('list', 'list the newest events, or those from a position', {
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

const subscriptionStatus = command('status', 'show the progress of each subscription, and what delays it', {
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

export const events = group('events', 'list and replay events for other systems: webhooks and mails', {
  examples: [['payouts events', 'the newest events, and their positions']],
  commands: [listEvents, subscriptionStatus, replay, forget],
});

const CURRENCY = option('--currency <code>', 'only for this currency');

export const template = command('template', 'print a file to fill in, valid for the bank', {
  examples: [
    ['payouts template > payroll.csv', 'a sample row to fill in for each payment type of the bank'],
    ['payouts template --currency USD', 'in one currency'],
    ['payouts template xlsx --currency EUR > payroll-eur.xlsx', 'the same for a spreadsheet'],
    ['payouts template json > payroll.json', 'the same as JSON'],
    ['payouts template pain.001 > invoices.xml', 'a bank message, with the two files that complete it:'],
    ['payouts template mapping > mapping.json', 'which bank account belongs to the debtor account'],
    ['payouts template payees > payees.csv', 'what the message does not say about payees'],
    ['payouts template mapping --from invoices.xml > mapping.json', 'with all accounts of your own message'],
    [
      'payouts template payees --from invoices.xml --mapping mapping.json > payees.csv',
      'with all payees of it, and a table of what to fill in',
    ],
  ],
  arguments: [argument('[kind]', 'what to print', { choices: TEMPLATES, default: 'csv' })],
  options: [
    CURRENCY,
    option('--from <file>', 'for mapping and payees: fill in from this bank message'),
    option('--mapping <file>', 'with --from: an existing mapping file to complete'),
    option('--payees <file>', 'with --from: an existing payee directory'),
  ],
  action: async () => (await import('../template-file.ts')).template,
});

export const calendar = command('calendar [currency]', 'show the business days and cut-offs that are used', {
  examples: [
    ['payouts calendar', 'for each currency: the systems known by rule, the next business day, the cut-off'],
    ['payouts calendar EUR --year 2027', 'the closed weekdays of a year, and by what they are closed'],
  ],
  options: [option('--year <year>', 'closed weekdays of this year; default: the current one', { parse: year })],
  action: async () => (await import('../calendar.ts')).calendar,
});

export const explain = command(
  'explain [name]',
  'explain a column, a bank field, a finding, a state, a reason code or an incident',
  {
    examples: [
      ['payouts explain', 'all columns, findings, states and reason codes'],
      ['payouts explain amount', 'a column'],
      ['payouts explain swift_code --currency USD', 'a payee field of the bank'],
      ['payouts explain too-many-decimals', 'a finding'],
      ['payouts explain outcome-unknown', 'a reason code'],
    ],
    options: [CURRENCY],
    action: async () => (await import('../explain.ts')).explain,
  },
);

export const completion = command('completion', 'print a completion script for a shell', {
  examples: [
    ['source <(payouts completion bash)', 'for this shell; put it into ~/.bashrc for all'],
    ['payouts completion zsh > _payouts', 'save it in a folder of fpath'],
    ['payouts completion fish > payouts.fish', 'to ~/.config/fish/completions'],
    ['payouts completion powershell > payouts.ps1', 'read it in $PROFILE: . ~/payouts.ps1'],
  ],
  arguments: [argument('<shell>', 'the shell', { choices: SHELLS })],
  action: async () => {
    const { completion: script } = await import('../completion.ts');
    return (session, shell, _options, { parent }) => (parent === null ? undefined : script(session, parent, shell));
  },
});
