import { Argument, Command, CommanderError, Option } from 'commander';
import { MESSAGES } from '../domain/names.ts';
import { SWITCH_SCOPES } from '../domain/switches.ts';
import { canary, days, duration, keptText, port, rowNumbers, wholeNumber } from './arguments.ts';
import { addCards } from './card-commands.ts';
import { backup, restore } from './commands/backup.ts';
import { accounts, beneficiaries, orders, reference } from './commands/bank.ts';
import { completion, SHELLS } from './commands/completion.ts';
import { cancel, controlBatch, decide, resolve } from './commands/decide.ts';
import { demo } from './commands/demo.ts';
import { ACCEPTABLE, doctor } from './commands/doctor.ts';
import { explain } from './commands/explain.ts';
import { acknowledge, listIncidents } from './commands/incidents.ts';
import { list, report, status, watch } from './commands/inspect.ts';
import { reconcile } from './commands/reconcile.ts';
import { retry } from './commands/retry.ts';
import { run } from './commands/run.ts';
import { dev, sandbox, worker } from './commands/serve.ts';
import { listSwitches, switchOff, switchOn } from './commands/switch.ts';
import { TEMPLATES, template } from './commands/template.ts';
import { validate } from './commands/validate.ts';
import { addDoors, addSchedules } from './door-commands.ts';
import { CommandError, EXIT, type ExitCode } from './exit.ts';
import { findBatch } from './find-target.ts';
import { formatFindings } from './findings-text.ts';
import { addHelp } from './help.ts';
import { addMoves } from './move-commands.ts';
import { Session } from './session.ts';
import { toCommandError } from './to-command-error.ts';
import { versionText } from './version.ts';

type Action = (session: Session) => Promise<ExitCode> | ExitCode;

/** Runs the `payouts` command with `argv` (without node and script) and returns its exit code. */
export async function runProgram(argv: readonly string[]): Promise<ExitCode> {
  // Whoever reads our output may have read enough (`| head`).
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
  const json = argv.includes('--json');
  let exit: ExitCode = EXIT.completed;
  const program = buildProgram(async (action) => {
    await using session = new Session({ json, quiet: argv.includes('--quiet') });
    exit = await action(session);
  });
  try {
    await program.parseAsync(argv, { from: 'user' });
    return exit;
  } catch (error) {
    if (error instanceof CommanderError) return commanderExit(error, json);
    return tellError(toCommandError(error), json);
  }
}

/** Commander has printed help or its complaint on stderr; with `--json` the complaint is a document too. */
function commanderExit(error: CommanderError, json: boolean): ExitCode {
  if (error.exitCode === 0) return EXIT.completed;
  if (json) {
    const message = error.message.replace(/^error: /, '').replaceAll('\n', ' ');
    printJson(
      new CommandError(EXIT.usage, 'usage', message, { hint: 'payouts --help shows every command.' }).toDocument(),
    );
  }
  return EXIT.usage;
}

function tellError(error: CommandError, json: boolean): ExitCode {
  if (json) {
    printJson(error.toDocument());
    return error.exit;
  }
  const findings = formatFindings(error.findings);
  const lines = [findings, `${error.message}`, error.hint, error.batchId === undefined ? '' : `Batch ${error.batchId}`];
  process.stderr.write(`${lines.filter((line) => line !== '').join('\n')}\n`);
  if (error.exit === EXIT.internal && error.cause instanceof Error)
    process.stderr.write(`${error.cause.stack ?? ''}\n`);
  return error.exit;
}

function printJson(document: object): void {
  process.stdout.write(`${JSON.stringify(document)}\n`);
}

/** The command with everything below it; what a command does is handed to `perform`. */
export function buildProgram(perform: (action: Action) => Promise<void>): Command {
  const program = new Command('payouts')
    .description('Payouts that are never made twice, never lost and never a mystery.')
    .exitOverride()
    .showSuggestionAfterError()
    .configureHelp({ sortSubcommands: false })
    .version(versionText(), '-v, --version', 'versions of the product, the Temporal SDK and Node');
  const below =
    (parent: Command): Add =>
    (usage, description) =>
      parent
        .command(usage)
        .description(description)
        .option('--json', 'one JSON document on stdout, also for errors')
        .option('--quiet', 'nothing on stderr but errors and questions');

  const command = below(program);
  addServing(command, perform);
  addPaying(command, perform);
  addMoves(command, perform);
  addDoors(command, perform);
  const schedules = program.command('schedule').description('sweep drop folders by a Temporal Schedule');
  addSchedules(below(schedules), perform);
  const cards = program
    .command('card')
    .description('card payments; an ID is a merchant_request_id, payment or workflow id');
  addCards(below(cards), perform);
  addDeciding(command, perform);
  const group = program
    .command('switch')
    .description('stop sends: of everything, a user, an account, a currency, a payee');
  addSwitches(below(group), perform);
  addShowing(command, perform);
  addKeeping(command, perform);
  addLearning(command, perform, program);
  addHelp(program);
  return program;
}

export type Add = (usage: string, description: string) => Command;
export type Perform = (action: Action) => Promise<void>;

function addServing(command: Add, perform: Perform): void {
  command('demo', 'pay the examples on the embedded stack (what npm start runs)').action(() =>
    perform((session) => demo(session)),
  );
  command('dev', 'keep the embedded stack up: Temporal, sandbox bank, worker, gateway')
    .option('--temporal-port <port>', 'port of the Temporal server', port)
    .option('--ui-port <port>', 'port of the Temporal UI', port)
    .option('--api-port <port>', 'port of the sandbox bank', port)
    .option('--gateway-port <port>', 'port of the gateway', port)
    .action((options) => perform((session) => dev(session, options)));
  command('worker', 'run a worker').action(() => perform((session) => worker(session)));
  command('sandbox', 'run the sandbox bank alone')
    .option('--port <port>', 'port to listen on', port)
    .option('--host <host>', 'address to listen on', '127.0.0.1')
    .option('--file <path>', 'SQLite file of its books')
    .action((options) => perform((session) => sandbox(session, options)));
}

function addPaying(command: Add, perform: Perform): void {
  const taking = (usage: string, description: string): Command =>
    command(usage, description)
      .option('--mapping <file>', 'debtor accounts and payment types of bank messages (JSON)')
      .option('--payees <file>', 'what bank messages lack about payees (CSV)');
  const paying = (made: Command): Command =>
    made
      .option('--yes', 'do not ask', false)
      .option('--dry-run', 'stop after the plan', false)
      .option('--detach', 'start and return; needs a stack that stays up', false)
      .option('--plan <hash>', 'pay only if this is still the plan')
      .option('--canary <rows>', 'pay this many rows first, and the rest when all of them are completed', canary)
      .option('--allow-look-alikes', 'rows that look like a payout of the last days are meant, not held', false)
      .option('--timeout <duration>', 'stop following after this long, e.g. 90s or 10m', duration)
      .option('--by <name>', 'who hands over the file (the maker)', keptText);
  taking('validate <file>', 'every finding of a file in one pass; sends nothing').action((file, files) =>
    perform((session) => validate(session, file, files)),
  );
  paying(taking('run <file>', 'validate, plan, confirm, start, follow, report'))
    .addOption(
      new Option('--invalid <how>', 'what to do with rows that break a rule').choices(['stop', 'skip']).default('stop'),
    )
    .action((file, { timeout, ...options }) =>
      perform((session) => run(session, file, { ...options, timeoutMs: timeout })),
    );
  paying(command('retry <id>', 'pay the rows of a batch that are proven unpaid again, under new references'))
    .option('--rows <list>', 'only these data rows, e.g. 3,7-9', rowNumbers)
    .action((id, { timeout, ...options }) =>
      perform((session) => retry(session, id, { ...options, timeoutMs: timeout })),
    );
  command('watch <id>', 'follow a batch to its end')
    .option('--timeout <duration>', 'stop following after this long, e.g. 90s or 10m', duration)
    .action((id, { timeout }) => perform((session) => watch(session, id, { timeoutMs: timeout })));
}

function addDeciding(command: Add, perform: Perform): void {
  const deciding = (usage: string, description: string): Command =>
    command(usage, description)
      .option('--yes', 'do not ask', false)
      .option('--by <name>', 'who decides (default: the user of this machine)', keptText)
      .option('--remark <text>', 'why', keptText);
  deciding('approve <id>', 'approve what is awaited').action((id, o) => perform((s) => decide(s, 'approve', id, o)));
  deciding('reject <id>', 'reject what is awaited; needs --remark').action((id, o) =>
    perform((s) => decide(s, 'reject', id, o)),
  );
  deciding('cancel <id>', 'cancel a payout or the rest of a batch, where still possible').action((id, o) =>
    perform((s) => cancel(s, id, o)),
  );
  command('resolve <id>', 'decide a payout that needs an operator; checked against the bank again')
    .addOption(
      new Option('--action <action>', 'what to do')
        .choices(['keep-looking', 'adopt-order', 'resend', 'close-as-not-paid'])
        .makeOptionMandatory(),
    )
    .requiredOption('--evidence <text>', 'what the decision rests on', keptText)
    .option('--order <id>', 'the order to adopt')
    .option('--yes', 'do not ask', false)
    .option('--by <name>', 'who decides (default: the user of this machine)', keptText)
    .action((id, o) => perform((s) => resolve(s, id, o)));
  command('acknowledge <incident>', 'say that somebody has seen to an incident, and why it may rest')
    .requiredOption('--reason <text>', 'why', keptText)
    .option('--yes', 'do not ask', false)
    .option('--by <name>', 'who (default: the user of this machine)', keptText)
    .action((incident, o) => perform((s) => acknowledge(s, incident, o)));
  const control = (name: string, update: string, description: string): void => {
    command(`${name} <id>`, description)
      .option('--by <name>', 'who asks', keptText, 'operator')
      .action((id, { by }) => perform(async (s) => controlBatch(s, await findBatch(await s.store(), id), update, by)));
  };
  control('pause', MESSAGES.pause, 'send nothing more of a batch: rows under way wait before their send');
  control('drain', MESSAGES.drain, 'release no further rows of a batch; those under way go to their end');
  control('resume', MESSAGES.resume, 'release and send rows of a batch again');
}

function addSwitches(command: Add, perform: Perform): void {
  const switching = (usage: string, description: string): Command =>
    command(usage, description)
      .addArgument(new Argument('<scope>', 'what it is about').choices(SWITCH_SCOPES))
      .argument('[key]', 'id of the user, account, payee or batch, or the currency; none for everything')
      .requiredOption('--reason <text>', 'why', keptText)
      .option('--by <name>', 'who asks (default: the user of this machine)', keptText)
      .option('--yes', 'do not ask', false);
  switching('off', 'send nothing more that it matches, from the next send on').action((scope, key, o) =>
    perform((s) => switchOff(s, scope, key, o)),
  );
  switching('on', 'send again').action((scope, key, o) => perform((s) => switchOn(s, scope, key, o)));
  command('list', 'what is off').action(() => perform((s) => listSwitches(s)));
}

function addShowing(command: Add, perform: Perform): void {
  command('status <id>', 'where a batch or a payout stands').action((id) => perform((s) => status(s, id)));
  command('report <id>', 'write and show the report of a batch').action((id) => perform((s) => report(s, id)));
  command('list', 'the batches of this store').action(() => perform((s) => list(s)));
  command('incidents', 'what the bank shows against the stored ends of payouts')
    .option('--open', 'only those that nobody has acknowledged', false)
    .action((options) => perform((s) => listIncidents(s, options)));
  command('reconcile', "compare ended payouts with the bank's orders now")
    .option('--days <n>', 'how far back', days)
    .action((options) => perform((s) => reconcile(s, options)));
  command('accounts [uid]', 'balances of a user, or of the master institution').action((uid) =>
    perform((s) => accounts(s, uid)),
  );
  command('beneficiaries <uid>', 'beneficiaries of a user')
    .option('--currency <code>', 'only this currency')
    .action((uid, { currency }) => perform((s) => beneficiaries(s, uid, currency)));
  command('orders <uid> <currency>', "the bank's orders of a user in one currency").action((uid, currency) =>
    perform((s) => orders(s, uid, currency)),
  );
  command('reference <uid> <id>', 'the reference of a payout')
    .option('--generation <n>', 'generation, from 0', wholeNumber, 0)
    .addOption(new Option('--kind <kind>', 'what it is').choices(['payout', 'transfer', 'exchange']).default('payout'))
    .action((uid, id, options) => perform((s) => reference(s, uid, id, options)));
  command('doctor', 'check Node, Temporal, bank, store and folders')
    .addOption(
      new Option('--accept <part>', 'what the store belongs to has changed and is the same all the same').choices(
        Object.keys(ACCEPTABLE),
      ),
    )
    .option('--by <name>', 'who accepts it (default: the user of this machine)', keptText)
    .action((options) => perform((s) => doctor(s, options)));
}

function addKeeping(command: Add, perform: Perform): void {
  command('backup <file>', 'copy the store to a new file, while a stack may be up').action((file) =>
    perform((s) => backup(s, file)),
  );
  command('restore <file>', 'put a copy in the place of the store, which is kept; with no stack up')
    .option('--yes', 'do not ask', false)
    .option('--by <name>', 'who asks (default: the user of this machine)', keptText)
    .action((file, options) => perform((s) => restore(s, file, options)));
}

function addLearning(command: Add, perform: Perform, program: Command): void {
  const currency = (it: Command): Command => it.option('--currency <code>', 'ask the bank about this currency only');
  currency(command('template', 'a file to fill in, good under the rules of the bank'))
    .addArgument(new Argument('[kind]', 'what to print').choices(TEMPLATES).default('csv'))
    .action((kind, options) => perform((s) => template(s, kind, options)));
  currency(command('explain [name]', 'what a column, a field of the bank, a finding or a reason code means')).action(
    (name, options) => perform((s) => explain(s, name, options)),
  );
  command('completion', 'a script that completes commands and options in a shell')
    .addArgument(new Argument('<shell>', 'of which shell').choices(SHELLS))
    .action((shell) => perform((s) => completion(s, shell, program)));
}
