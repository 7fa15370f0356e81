import { Command, CommanderError, Help } from 'commander';
import { fitted, widthOf, wrap } from '../domain/display.ts';
import { WHAT_AN_ID_IS } from '../domain/names.ts';
import { Problem } from '../domain/problem.ts';
import { ownVersion, sdkVersion } from '../store/own-files.ts';
import { addCommands, type Definition, type Example, examplesText, type Group, type Perform } from './command.ts';
import {
  acknowledge,
  approve,
  audit,
  cancel,
  drain,
  match,
  pause,
  policy,
  recheck,
  reject,
  resolve,
  resume,
  switches,
} from './commands/decide.ts';
import {
  backup,
  config,
  demo,
  dev,
  doctor,
  gateway,
  histories,
  intake,
  mcp,
  migrate,
  replay,
  restore,
  sandbox,
  schedule,
  worker,
} from './commands/operate.ts';
import { card, exchange, retry, run, transfer, validate, watch } from './commands/pay.ts';
import {
  accounts,
  beneficiaries,
  calendar,
  cash,
  completion,
  events,
  explain,
  inbox,
  incidents,
  list,
  open,
  orders,
  period,
  reconcile,
  reference,
  report,
  retention,
  statement,
  status,
  template,
} from './commands/show.ts';
import { EXIT, type ExitCode, exitOf } from './exit.ts';

/** Runs the `payouts` command with `argv` (without node and script) and returns its exit code. */
export async function runProgram(argv: readonly string[]): Promise<ExitCode> {
  // The reader of our output may stop early (`2>&1 | head`, a terminal that is closed), which stops nothing that was begun.
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE' && error.code !== 'EIO') throw error;
    });
  }
  const json = argv.includes('--json');
  let exit: ExitCode = EXIT.completed;
  const program = buildProgram(async (action, { inPlaceOnly = false }, { profile }) => {
    const { Session } = await import('./session.ts');
    await using session = new Session({ json, quiet: argv.includes('--quiet'), profile });
    if (inPlaceOnly) session.assertInPlace();
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
    if (error instanceof CommanderError) return commanderExit(error, helpHint(program, argv), json);
    const { problemOf } = await import('../files/intake/problem-of.ts');
    return printError(problemOf(error), json);
  }
}

/** Commander has printed help or its error on stderr; with `--json` the error is also printed as a document. */
function commanderExit(error: CommanderError, hint: string, json: boolean): ExitCode {
  if (error.exitCode === 0) return EXIT.completed;
  if (json) {
    const message = error.message.replace(/^error: /, '').replaceAll('\n', ' ');
    printJson(new Problem('usage', 'usage', message, { hint }).toDocument());
  } else if (error.code !== 'commander.help') {
    process.stderr.write(`${fitted(hint, widthOf(process.stderr))}\n`);
  }
  return EXIT.usage;
}

/** Names the help of the command that was typed, and that of the program if there is none. */
function helpHint(program: Command, argv: readonly string[]): string {
  let typed = program;
  const path = ['payouts'];
  for (const word of argv) {
    const next = typed.commands.find((command) => command.name() === word);
    if (next === undefined) break;
    typed = next;
    path.push(word);
  }
  const shown = typed.commands.length > 0 ? 'all commands' : 'its arguments and options';
  return `${path.join(' ')} --help shows ${shown}.`;
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
  const reported = plainText(lines.filter((line) => line !== '').join('\n'));
  process.stderr.write(`${fitted(reported, widthOf(process.stderr))}\n`);
  if (error.kind === 'internal' && error.cause instanceof Error) process.stderr.write(`${error.cause.stack ?? ''}\n`);
  return exitOf(error);
}

function printJson(document: object): void {
  process.stdout.write(`${JSON.stringify(document)}\n`);
}

/** By the blocks of the help, in its order. */
const COMMAND_GROUPS = {
  'Start here': [demo, dev, open, doctor, config],
  Pay: [template, validate, run, watch, retry, transfer, exchange, card],
  Decide: [
    ...[inbox, approve, reject, recheck, cancel, resolve, acknowledge, match],
    ...[pause, drain, resume, switches, policy],
  ],
  Show: [
    ...[status, report, list, incidents, statement, period, explain],
    ...[accounts, cash, beneficiaries, orders, calendar, events, audit, retention],
  ],
  'Run and maintain': [worker, gateway, mcp, sandbox, intake, schedule, reconcile, migrate, backup, restore],
  'For scripts and developers': [completion, reference, histories, replay],
} as const;

export const COMMANDS: readonly (Definition | Group)[] = Object.values(COMMAND_GROUPS).flat();

/** Before the help of the program. */
export const FIRST_EXAMPLES: readonly Example[] = [
  ['payouts template > payroll.csv', 'a file to fill in'],
  ['payouts validate payroll.csv', 'show all findings of a file; sends nothing'],
  ['payouts run payroll.csv', 'validate, show the plan, confirm, pay, follow, report'],
  ['payouts run payroll.csv --yes --json', 'the same for scripts'],
  ['payouts watch ID', 'follow a batch again'],
  ['payouts approve ID --by alice', 'approve what is waiting'],
  ['payouts dev', 'keep Temporal, the sandbox bank and a worker running'],
];

/** The command line with all commands; their actions are run by `perform`. */
export function buildProgram(perform: Perform): Command {
  const program = new Command('payouts')
    .description('Payouts that are never made twice, never lost and never a mystery.')
    .exitOverride()
    .showSuggestionAfterError()
    .configureOutput({ outputError: (text, write) => write(fitted(text, widthOf(process.stderr))) })
    .configureHelp({
      ...{ sortSubcommands: false, minWidthToWrap: 20, subcommandTerm: (command) => command.name() },
      // A flag is false unless it is given; commander would print that beside every one.
      optionDescription: (option) => new Help().optionDescription(option).replace(' (default: false)', ''),
    })
    .version(versionText(), '-v, --version', 'show the versions of the product, the Temporal SDK and Node')
    .addHelpText('before', () => examplesText(FIRST_EXAMPLES))
    .addHelpText('after', () => `\n${wrap(WHAT_AN_ID_IS, widthOf(process.stdout)).join('\n')}`);
  for (const [title, commands] of Object.entries(COMMAND_GROUPS)) {
    program.commandsGroup(`${title}:`);
    addCommands(program, commands, perform);
  }
  // Into the last block.
  program.helpCommand(true);
  return program;
}

/** "payouts 0.1.0, Temporal SDK 1.24.0, Node 24.21.0" */
export function versionText(): string {
  return `payouts ${ownVersion()}, Temporal SDK ${sdkVersion()}, Node ${process.versions.node}`;
}
