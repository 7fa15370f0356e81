import { Argument, type Command, Option } from 'commander';
import { ERP_FORMATS } from '../reports/erp-formats.ts';
import { dayEnd, dayRange, dayStart, days, keptText, payoutStates, wholeNumber } from './arguments.ts';
import { ACCEPTABLE, KEY, SHELLS, TEMPLATES } from './choices.ts';
import { lazily } from './lazily.ts';
import type { Add, Perform } from './perform.ts';

const backup = lazily(async () => (await import('./commands/backup.ts')).backup);
const restore = lazily(async () => (await import('./commands/backup.ts')).restore);
const accounts = lazily(async () => (await import('./commands/bank.ts')).accounts);
const beneficiaries = lazily(async () => (await import('./commands/bank.ts')).beneficiaries);
const orders = lazily(async () => (await import('./commands/bank.ts')).orders);
const reference = lazily(async () => (await import('./commands/bank.ts')).reference);
const completion = lazily(async () => (await import('./commands/completion.ts')).completion);
const doctor = lazily(async () => (await import('./commands/doctor.ts')).doctor);
const explain = lazily(async () => (await import('./commands/explain.ts')).explain);
const listIncidents = lazily(async () => (await import('./commands/incidents.ts')).listIncidents);
const erpFile = lazily(async () => (await import('./commands/erp-file.ts')).erpFile);
const inbox = lazily(async () => (await import('./commands/inbox.ts')).inbox);
const list = lazily(async () => (await import('./commands/list.ts')).list);
const report = lazily(async () => (await import('./commands/inspect.ts')).report);
const status = lazily(async () => (await import('./commands/inspect.ts')).status);
const reconcile = lazily(async () => (await import('./commands/reconcile.ts')).reconcile);
const template = lazily(async () => (await import('./commands/template.ts')).template);

/** The commands that look. */
export function addShowing(command: Add, perform: Perform): void {
  command('status <id>', 'show the state of a batch or a payout, and the next step').action((id) =>
    perform((s) => status(s, id)),
  );
  command('report <id>', 'write and show the report of a batch, or write it in a format for other software')
    .option('--mask', 'mask payee names and the paying account, in separate files', false)
    .addOption(
      new Option('--format <name>', 'pain002: the answer to a pain.001; camt054, journal: what its orders moved')
        .choices(ERP_FORMATS)
        .conflicts('mask'),
    )
    .action((id, { format, ...options }) =>
      perform((s) => (format === undefined ? report(s, id, options) : erpFile(s, id, format))),
    );
  command('list', 'list batches; with a filter, payouts')
    .option('--state <states>', 'payouts in one of these states, e.g. held,needs-operator', payoutStates)
    .option('--kind <kind>', 'payouts with this reason code, or in this state')
    .option('--account <id>', 'payouts from this account')
    .option('--from <date>', 'submitted on this day (UTC) or later: a date, today or yesterday', dayStart)
    .option('--to <date>', 'submitted on this day (UTC) or earlier', dayEnd)
    .option('--ended <days>', 'ended on this day (UTC), or in FIRST..LAST', dayRange)
    .option('--returned', 'payouts of which money came back')
    .option('--text <text>', 'payouts with this text in an id or in their file name')
    .action((options) => perform((s) => list(s, options)));
  command('inbox', 'show what waits for people, across batches, by kind, oldest first')
    .option('--mine', 'only what you can decide', false)
    .option('--kind <kind>', 'only this reason code, or this kind of incident')
    .option(
      '--by <name>',
      'your name, with --mine (default: the holder of the key, else the user of this machine)',
      keptText,
    )
    .option('--key <file>', KEY)
    .action((options) => perform((s) => inbox(s, options)));
  command('incidents', 'list contradictions between the bank and ended payouts')
    .option('--open', 'only unacknowledged ones', false)
    .action((options) => perform((s) => listIncidents(s, options)));
  command('reconcile', "compare ended payouts with the bank's orders now")
    .option('--days <n>', 'how many days back', days)
    .action((options) => perform((s) => reconcile(s, options)));
  command('accounts [uid]', 'show balances of a user, or of the master institution').action((uid) =>
    perform((s) => accounts(s, uid)),
  );
  command('beneficiaries <uid>', 'list the beneficiaries of a user')
    .option('--currency <code>', 'only this currency')
    .action((uid, { currency }) => perform((s) => beneficiaries(s, uid, currency)));
  command('orders <uid> <currency>', "list the bank's orders of a user in one currency").action((uid, currency) =>
    perform((s) => orders(s, uid, currency)),
  );
  command('reference <uid> <id>', 'print the reference of a payout')
    .option('--generation <n>', 'generation, from 0', wholeNumber, 0)
    .addOption(
      new Option('--kind <kind>', 'kind of the document').choices(['payout', 'transfer', 'exchange']).default('payout'),
    )
    .action((uid, id, options) => perform((s) => reference(s, uid, id, options)));
  command('doctor', 'check Node, Temporal, bank, store and folders')
    .addOption(
      new Option('--accept <part>', 'confirm a changed bank address, account list or Temporal as the same one').choices(
        Object.keys(ACCEPTABLE),
      ),
    )
    .option('--by <name>', 'your name (default: the user of this machine)', keptText)
    .action((options) => perform((s) => doctor(s, options)));
}

export function addKeeping(command: Add, perform: Perform): void {
  command('backup <file>', 'copy the store to a new file; a stack may be running').action((file) =>
    perform((s) => backup(s, file)),
  );
  command(
    'restore [file]',
    'replace the store with a copy, or record that PostgreSQL was restored; no stack may be running',
  )
    .option('--yes', 'skip the confirmation', false)
    .option('--by <name>', 'your name (default: the user of this machine)', keptText)
    .action((file, options) => perform((s) => restore(s, file, options)));
}

export function addLearning(command: Add, perform: Perform, program: Command): void {
  const currency = (it: Command): Command => it.option('--currency <code>', 'only for this currency');
  currency(command('template', 'print a file to fill in, valid for the bank'))
    .addArgument(new Argument('[kind]', 'what to print').choices(TEMPLATES).default('csv'))
    .option('--from <file>', 'for mapping and payees: fill in from this bank message')
    .option('--mapping <file>', 'with --from: an existing mapping file to complete')
    .option('--payees <file>', 'with --from: an existing payee directory')
    .action((kind, options) => perform((s) => template(s, kind, options)));
  currency(
    command('explain [name]', 'explain a column, a bank field, a finding, a state, a reason code or an incident'),
  ).action((name, options) => perform((s) => explain(s, name, options)));
  command('completion', 'print a completion script for a shell')
    .addArgument(new Argument('<shell>', 'the shell').choices(SHELLS))
    .action((shell) => perform((s) => completion(s, shell, program)));
}
