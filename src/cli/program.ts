import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { MESSAGES } from '../domain/names.ts';
import { accounts, beneficiaries, orders, reference } from './commands/bank.ts';
import { cancel, controlBatch, decide, resolve } from './commands/decide.ts';
import { demo } from './commands/demo.ts';
import { doctor } from './commands/doctor.ts';
import { list, report, status, watch } from './commands/inspect.ts';
import { reconcile } from './commands/reconcile.ts';
import { run } from './commands/run.ts';
import { dev, sandbox, worker } from './commands/serve.ts';
import { findingsText, validate } from './commands/validate.ts';
import { CommandError, EXIT, type ExitCode } from './exit.ts';
import { findBatch } from './find-target.ts';
import { Session } from './session.ts';
import { toCommandError } from './to-command-error.ts';

type Action = (session: Session) => Promise<ExitCode> | ExitCode;

/** Runs the `payouts` command with `argv` (without node and script) and returns its exit code. */
export async function runProgram(argv: readonly string[]): Promise<ExitCode> {
  const json = argv.includes('--json');
  let exit: ExitCode = EXIT.completed;
  const program = buildProgram(async (action) => {
    await using session = new Session({ json });
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
    const message = error.message.replace(/^error: /, '');
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
  const findings = findingsText(error);
  const lines = [findings, `${error.message}`, error.hint, error.batchId === undefined ? '' : `Batch ${error.batchId}`];
  process.stderr.write(`${lines.filter((line) => line !== '').join('\n')}\n`);
  if (error.exit === EXIT.internal && error.cause instanceof Error)
    process.stderr.write(`${error.cause.stack ?? ''}\n`);
  return error.exit;
}

function printJson(document: object): void {
  process.stdout.write(`${JSON.stringify(document)}\n`);
}

function buildProgram(perform: (action: Action) => Promise<void>): Command {
  const program = new Command('payouts')
    .description('Payouts that are never made twice, never lost and never a mystery.')
    .exitOverride()
    .showSuggestionAfterError()
    .configureHelp({ sortSubcommands: false })
    .addHelpText('after', EXAMPLES);
  const command = (usage: string, description: string): Command =>
    program.command(usage).description(description).option('--json', 'one JSON document on stdout, also for errors');

  addServing(command, perform);
  addPaying(command, perform);
  addDeciding(command, perform);
  addShowing(command, perform);
  return program;
}

const EXAMPLES = `
Examples:
  payouts validate payroll.csv            every finding of a file, sends nothing
  payouts run payroll.csv                 validate, plan, ask, pay, follow, report
  payouts run payroll.csv --yes --json    the same for a machine
  payouts watch ID | status ID | report ID
  payouts approve ID --by alice           answer whatever approval is awaited
  payouts dev                             keep Temporal, the sandbox bank and a worker up

An ID is a batch id, a reference, a workflow id, an order id or a document id.`;

type Add = (usage: string, description: string) => Command;
type Perform = (action: Action) => Promise<void>;

function addServing(command: Add, perform: Perform): void {
  command('demo', 'pay the examples on the embedded stack (what npm start runs)').action(() =>
    perform((session) => demo(session)),
  );
  command('dev', 'keep the embedded stack up: Temporal, sandbox bank, worker')
    .option('--temporal-port <port>', 'port of the Temporal server', port)
    .option('--ui-port <port>', 'port of the Temporal UI', port)
    .option('--api-port <port>', 'port of the sandbox bank', port)
    .action((options) => perform((session) => dev(session, options)));
  command('worker', 'run a worker').action(() => perform((session) => worker(session)));
  command('sandbox', 'run the sandbox bank alone')
    .option('--port <port>', 'port to listen on', port)
    .option('--host <host>', 'address to listen on', '127.0.0.1')
    .option('--file <path>', 'SQLite file of its books')
    .action((options) => perform((session) => sandbox(session, options)));
}

function addPaying(command: Add, perform: Perform): void {
  command('validate <file>', 'every finding of a file in one pass; sends nothing').action((file) =>
    perform((session) => validate(session, file)),
  );
  command('run <file>', 'validate, plan, confirm, start, follow, report')
    .option('--yes', 'do not ask', false)
    .option('--dry-run', 'stop after the plan', false)
    .option('--detach', 'start and return; needs a stack that stays up', false)
    .addOption(
      new Option('--invalid <how>', 'what to do with rows that break a rule').choices(['stop', 'skip']).default('stop'),
    )
    .option('--timeout <duration>', 'stop following after this long, e.g. 90s or 10m', duration)
    .option('--by <name>', 'who hands over the file (the maker)')
    .action((file, { timeout, ...options }) =>
      perform((session) => run(session, file, { ...options, timeoutMs: timeout })),
    );
  command('watch <id>', 'follow a batch to its end')
    .option('--timeout <duration>', 'stop following after this long, e.g. 90s or 10m', duration)
    .action((id, { timeout }) => perform((session) => watch(session, id, { timeoutMs: timeout })));
}

function addDeciding(command: Add, perform: Perform): void {
  const deciding = (usage: string, description: string): Command =>
    command(usage, description)
      .option('--yes', 'do not ask', false)
      .option('--by <name>', 'who decides (default: the user of this machine)')
      .option('--remark <text>', 'why');
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
    .requiredOption('--evidence <text>', 'what the decision rests on')
    .option('--order <id>', 'the order to adopt')
    .option('--yes', 'do not ask', false)
    .option('--by <name>', 'who decides (default: the user of this machine)')
    .action((id, o) => perform((s) => resolve(s, id, o)));
  const control = (name: string, update: string, description: string): void => {
    command(`${name} <id>`, description)
      .option('--by <name>', 'who asks', 'operator')
      .action((id, { by }) => perform(async (s) => controlBatch(s, await findBatch(await s.store(), id), update, by)));
  };
  control('pause', MESSAGES.pause, 'release no further rows of a batch');
  control('resume', MESSAGES.resume, 'release rows of a batch again');
}

function addShowing(command: Add, perform: Perform): void {
  command('status <id>', 'where a batch or a payout stands').action((id) => perform((s) => status(s, id)));
  command('report <id>', 'write and show the report of a batch').action((id) => perform((s) => report(s, id)));
  command('list', 'the batches of this store').action(() => perform((s) => list(s)));
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
    .action((uid, id, { generation }) => perform((s) => reference(s, uid, id, generation)));
  command('doctor', 'check Node, Temporal, bank, store and folders').action(() => perform((s) => doctor(s)));
}

function port(text: string): number {
  const value = wholeNumber(text);
  if (value > 65_535) throw new InvalidArgumentError('a port is 0 to 65535');
  return value;
}

function wholeNumber(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('a whole number is needed');
  return Number(text);
}

function days(text: string): number {
  const value = wholeNumber(text);
  if (value < 1 || value > 3_650) throw new InvalidArgumentError('1 to 3650 days');
  return value;
}

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

function duration(text: string): number {
  const match = /^(\d{1,9})(ms|s|m|h|d)$/.exec(text);
  if (match === null) throw new InvalidArgumentError('a duration is a number and a unit: 90s, 10m, 2h');
  return Number(match[1]) * (UNITS[match[2] ?? ''] ?? 1);
}
