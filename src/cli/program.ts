import { Command, CommanderError } from 'commander';
import { Problem } from '../domain/problem.ts';
import { fitted, widthOf } from '../domain/wrap.ts';
import { type Acts, type Add, actsIn, type Perform } from './acts.ts';
import { port } from './arguments.ts';
import { addCards } from './card-commands.ts';
import { addChannels, addSchedules } from './channel-commands.ts';
import { addDeciding, addPolicy, addSwitches } from './deciding-commands.ts';
import { EXIT, type ExitCode, exitOf } from './exit.ts';
import { addHelp } from './help.ts';
import { addMoves, addPaying } from './paying-commands.ts';
import { addAudit, addEvents, addHistories, addKeeping, addUpgrading } from './records-commands.ts';
import { addLearning, addShowing } from './showing-commands.ts';
import { versionText } from './version.ts';

const serving = () => import('./processes.ts');

/** What runs, keeps or checks an installation: it needs store, bank and Temporal itself, and does nothing through a gateway. */
const IN_PLACE_ONLY: ReadonlySet<string | undefined> = new Set([
  ...['demo', 'dev', 'worker', 'sandbox', 'gateway', 'intake', 'schedule'],
  ...['backup', 'restore', 'migrate', 'histories', 'reconcile'],
]);

/** Runs the `payouts` command with `argv` (without node and script) and returns its exit code. */
export async function runProgram(argv: readonly string[]): Promise<ExitCode> {
  // The reader of our output may stop early (`2>&1 | head`), which stops nothing that was begun.
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error;
    });
  }
  const json = argv.includes('--json');
  let exit: ExitCode = EXIT.completed;
  const program = buildProgram(async (action) => {
    const { Session } = await import('./session.ts');
    await using session = new Session({ json, quiet: argv.includes('--quiet') });
    if (IN_PLACE_ONLY.has(argv[0])) session.assertInPlace();
    exit = await action(session);
  });
  try {
    // Asked by the scripts of `payouts completion`; the words after "--" are those of the line that is completed.
    if (argv[0] === 'complete') {
      const { completed } = await import('./completion.ts');
      process.stdout.write(completed(program, argv.slice(2)));
      return exit;
    }
    await program.parseAsync(argv, { from: 'user' });
    return exit;
  } catch (error) {
    if (error instanceof CommanderError) return commanderExit(error, json);
    const { problemOf } = await import('../files/intake/problem-of.ts');
    return printError(problemOf(error), json);
  }
}

/** Commander has printed help or its error on stderr; with `--json` the error is also printed as a document. */
function commanderExit(error: CommanderError, json: boolean): ExitCode {
  if (error.exitCode === 0) return EXIT.completed;
  if (json) {
    const message = error.message.replace(/^error: /, '').replaceAll('\n', ' ');
    printJson(new Problem('usage', 'usage', message, { hint: 'payouts --help shows all commands.' }).toDocument());
  }
  return EXIT.usage;
}

async function printError(error: Problem, json: boolean): Promise<ExitCode> {
  if (json) {
    printJson(error.toDocument());
    return exitOf(error);
  }
  const { formatFindings } = await import('./output.ts');
  const { plainText } = await import('./output.ts');
  const findings = formatFindings(error.findings);
  const lines = [findings, `${error.message}`, error.hint, error.batchId === undefined ? '' : `Batch ${error.batchId}`];
  const told = plainText(lines.filter((line) => line !== '').join('\n'));
  process.stderr.write(`${fitted(told, widthOf(process.stderr))}\n`);
  if (error.kind === 'internal' && error.cause instanceof Error) process.stderr.write(`${error.cause.stack ?? ''}\n`);
  return exitOf(error);
}

function printJson(document: object): void {
  process.stdout.write(`${JSON.stringify(document)}\n`);
}

/** The command line with all commands; their actions are run by `perform`. */
export function buildProgram(perform: Perform): Command {
  const program = new Command('payouts')
    .description('Payouts that are never made twice, never lost and never a mystery.')
    .exitOverride()
    .showSuggestionAfterError()
    .configureOutput({ outputError: (text, write) => write(fitted(text, widthOf(process.stderr))) })
    .configureHelp({ sortSubcommands: false, minWidthToWrap: 20 })
    .version(versionText(), '-v, --version', 'show the versions of the product, the Temporal SDK and Node');
  const below =
    (parent: Command): Add =>
    (usage, description, options) =>
      parent
        .command(usage, options)
        .description(description)
        .option('--json', 'print one JSON document on stdout, also for errors')
        .option('--quiet', 'print only errors and questions on stderr');

  const command = below(program);
  const acts = actsIn(perform);
  const group = (name: string, description: string, add: (command: Add, acts: Acts) => void): void =>
    add(below(program.command(name).description(description)), acts);
  addServing(command, acts);
  addPaying(command, acts);
  addMoves(command, acts);
  addChannels(command, acts);
  group('schedule', 'process drop folders by a Temporal Schedule', addSchedules);
  group('card', 'card payments; an ID is a merchant_request_id, payment or workflow id', addCards);
  addDeciding(command, acts);
  group('switch', 'stop sending for everything, a user, an account, a currency, a payee or a batch', addSwitches);
  group('policy', 'who may move money: people, roles, keys, limits, approvals', addPolicy);
  addShowing(command, acts);
  group('events', 'events for other systems: webhooks and mails', addEvents);
  group('audit', 'verify, export and show who did what', addAudit);
  addKeeping(command, acts);
  group('histories', 'save the histories of open workflows', addHistories);
  addUpgrading(command, acts);
  addLearning(command, acts, program);
  addHelp(program);
  return program;
}

function addServing(command: Add, acts: Acts): void {
  command('demo', 'pay the examples on the embedded stack (what npm start runs)').action(
    acts(() => import('./demo.ts'), 'demo'),
  );
  command('dev', 'keep the embedded stack running: Temporal, sandbox bank, worker, gateway')
    .option('--temporal-port <port>', 'port of the Temporal server', port)
    .option('--ui-port <port>', 'port of the Temporal UI', port)
    .option('--api-port <port>', 'port of the sandbox bank', port)
    .option('--gateway-port <port>', 'port of the gateway', port)
    .action(acts(serving, 'dev'));
  command('worker', 'run a worker').action(acts(serving, 'worker'));
  command('sandbox', 'run the sandbox bank alone')
    .option('--port <port>', 'port to listen on', port)
    .option('--host <host>', 'address to listen on', '127.0.0.1')
    .option('--file <path>', 'SQLite file of its books')
    .action(acts(serving, 'sandbox'));
}
