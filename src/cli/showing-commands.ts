import { Argument, type Command, Option } from 'commander';
import { PROCESSES } from '../platform/config/holdings.ts';
import { ERP_FORMATS } from '../reports/erp-formats.ts';
import type { Acts, Add } from './acts.ts';
import { dayEnd, dayRange, dayStart, days, payoutStates, storableText, wholeNumber } from './arguments.ts';
import { ACCEPTABLE, KEY, SHELLS, TEMPLATES } from './choices.ts';

const looks = () => import('./inspect.ts');
const bank = () => import('./bank-lists.ts');

export function addShowing(command: Add, acts: Acts): void {
  const report = acts(looks, 'report');
  const erpFile = acts(() => import('./report-files.ts'), 'erpFile');
  command('status <id>', 'show the state of a batch or a payout, and the next step').action(acts(looks, 'status'));
  command('report <id>', 'write and show the report of a batch, or write it in a format for other software')
    .option('--mask', 'mask payee names and the paying account, in separate files', false)
    .addOption(
      new Option('--format <name>', 'pain002: the answer to a pain.001; camt054, journal: what its orders moved')
        .choices(ERP_FORMATS)
        .conflicts('mask'),
    )
    .action((id, { format, ...options }) => (format === undefined ? report(id, options) : erpFile(id, format)));
  command('list', 'list batches; with a filter, payouts')
    .option('--state <states>', 'payouts in one of these states, e.g. held,needs-operator', payoutStates)
    .option('--kind <kind>', 'payouts with this reason code, or in this state')
    .option('--account <id>', 'payouts from this account')
    .option('--from <date>', 'submitted on this day (UTC) or later: a date, today or yesterday', dayStart)
    .option('--to <date>', 'submitted on this day (UTC) or earlier', dayEnd)
    .option('--ended <days>', 'ended on this day (UTC), or in FIRST..LAST', dayRange)
    .option('--returned', 'payouts of which money came back')
    .option('--text <text>', 'payouts with this text in an id or in their file name')
    .action(acts(() => import('./list.ts'), 'list'));
  command('inbox', 'show what waits for people, across batches, by kind, oldest first')
    .option('--mine', 'only what you can decide', false)
    .option('--kind <kind>', 'only this reason code, or this kind of incident')
    .option(
      '--by <name>',
      'your name, with --mine (default: the holder of the key, else the user of this machine)',
      storableText,
    )
    .option('--key <file>', KEY)
    .action(acts(() => import('./waiting.ts'), 'inbox'));
  command('incidents', 'list contradictions between the bank and ended payouts')
    .option('--open', 'only unacknowledged ones', false)
    .action(acts(() => import('./waiting.ts'), 'listIncidents'));
  command('reconcile', "compare ended payouts with the bank's orders now")
    .option('--days <n>', 'how many days back', days)
    .action(acts(() => import('./reconcile.ts'), 'reconcile'));
  command('accounts [uid]', 'show balances of a user, or of the master institution').action(acts(bank, 'accounts'));
  command('beneficiaries <uid>', 'list the beneficiaries of a user')
    .option('--currency <code>', 'only this currency')
    .action(acts(bank, 'beneficiaries'));
  command('orders <uid> <currency>', "list the bank's orders of a user in one currency").action(acts(bank, 'orders'));
  command('reference <uid> <id>', 'print the reference of a payout')
    .option('--generation <n>', 'generation, from 0', wholeNumber, 0)
    .addOption(
      new Option('--kind <kind>', 'kind of the document').choices(['payout', 'transfer', 'exchange']).default('payout'),
    )
    .action(acts(bank, 'reference'));
  command('doctor', 'check Node, Temporal, bank, store and folders')
    .addOption(
      new Option(
        '--accept <part>',
        'confirm a changed bank address, account list, API key or Temporal as the same one',
      ).choices(Object.keys(ACCEPTABLE)),
    )
    .addOption(
      new Option('--as <process>', 'name the secrets here that such a process does not need').choices(
        Object.keys(PROCESSES),
      ),
    )
    .option('--by <name>', 'your name (default: the user of this machine)', storableText)
    .action(acts(() => import('./doctor.ts'), 'doctor'));
}

export function addLearning(command: Add, acts: Acts, program: Command): void {
  const currency = (it: Command): Command => it.option('--currency <code>', 'only for this currency');
  currency(command('template', 'print a file to fill in, valid for the bank'))
    .addArgument(new Argument('[kind]', 'what to print').choices(TEMPLATES).default('csv'))
    .option('--from <file>', 'for mapping and payees: fill in from this bank message')
    .option('--mapping <file>', 'with --from: an existing mapping file to complete')
    .option('--payees <file>', 'with --from: an existing payee directory')
    .action(acts(() => import('./template.ts'), 'template'));
  currency(
    command('explain [name]', 'explain a column, a bank field, a finding, a state, a reason code or an incident'),
  ).action(acts(() => import('./explain.ts'), 'explain'));
  command('completion', 'print a completion script for a shell')
    .addArgument(new Argument('<shell>', 'the shell').choices(SHELLS))
    .action(acts(() => import('./completion.ts'), 'completion', program));
}
