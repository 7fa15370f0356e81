import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findTemporalCli } from '../../../scripts/temporal-cli.mjs';

/**
 * `npm run bench:start-up`: user and system CPU seconds of commands on the sandbox, each the minimum of three runs. Ends
 * with 1 above a budget. CPU time, because elapsed time depends on what else the machine does.
 */

const COMMAND = fileURLToPath(new URL('../../../bin/payouts.mjs', import.meta.url));
const RUNS = 3;
/** Exit codes: done, and (of a file that was paid before) nothing to do. */
const DONE: ReadonlySet<unknown> = new Set([0, 8]);

/** Notes, when it says its first line and when it ends, how much CPU time the process has taken. */
const METER = `data:text/javascript,${encodeURIComponent(`
  import { writeFileSync } from 'node:fs';
  const taken = () => { const { user, system } = process.cpuUsage(); return (user + system) / 1e6; };
  let firstLine;
  for (const out of [process.stdout, process.stderr]) {
    const write = out.write;
    out.write = function (...text) { firstLine ??= taken(); return write.apply(this, text); };
  }
  process.on('exit', () => writeFileSync(process.env.BENCH_FILE, JSON.stringify({ firstLine, all: taken() })));
`)}`;

interface Taken {
  firstLine: number;
  all: number;
}

const dir = mkdtempSync(join(tmpdir(), 'payouts-bench-'));
const file = join(dir, 'payouts.csv');
const env = {
  PATH: process.env.PATH,
  HOME: dir,
  PAYOUTS_HOME: join(dir, 'home'),
  PAYOUTS_TIME_SCALE: '0.05',
  TEMPORAL_CLI_PATH: findTemporalCli(process.env).path,
};

function start(args: readonly string[], meter: string): ChildProcess {
  return spawn(process.execPath, ['--import', METER, COMMAND, ...args], {
    env: { ...env, BENCH_FILE: meter },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

/** `until`: ended by Ctrl-C once it has said this. */
async function measure(args: readonly string[], until?: RegExp): Promise<Taken> {
  const meter = join(dir, 'meter.json');
  const child = start(args, meter);
  let said = '';
  let interrupted = false;
  for (const out of [child.stdout, child.stderr]) {
    out?.on('data', (text: Buffer) => {
      said += text.toString();
      if (!until?.test(said) || interrupted) return;
      interrupted = true;
      child.kill('SIGINT');
    });
  }
  const [code] = await once(child, 'close');
  if (!DONE.has(code)) throw new Error(`payouts ${args.join(' ')} ended with exit code ${code}: ${said}`);
  return JSON.parse(readFileSync(meter, 'utf8')) as Taken;
}

async function leastOf(args: readonly string[], of: keyof Taken, until?: RegExp): Promise<number> {
  const taken: number[] = [];
  for (let run = 0; run < RUNS; run += 1) taken.push((await measure(args, until))[of]);
  return Math.min(...taken);
}

function show(what: string, seconds: number, budget: number): void {
  const over = seconds > budget;
  if (over) process.exitCode = 1;
  process.stdout.write(
    `${what.padEnd(28)} ${seconds.toFixed(2)} s, budget ${budget.toFixed(2)} s${over ? ': over budget' : ''}\n`,
  );
}

const row = (id: string): string => `${id},u-1001,acc-u1001-usd,ben-u1001-usd-local,12.50,USD\n`;
const header = 'id,uid,account_id,beneficiary_id,amount,currency\n';

try {
  writeFileSync(file, header + row('BENCH-1'));
  show('--version', await leastOf(['--version'], 'all'), 0.15);
  show('--help', await leastOf(['--help'], 'all'), 0.15);
  await measure(['run', file, '--yes']);
  show('list', await leastOf(['list'], 'all'), 0.4);
  show('status BATCH', await leastOf(['status', 'BENCH-1'], 'all'), 0.4);
  // Paid before, so that every run does the same.
  show('run FILE, to its first line', await leastOf(['run', file, '--yes'], 'firstLine'), 1);
  const dev = start(['dev'], join(dir, 'dev.json'));
  await new Promise<void>((resolve) => dev.stdout?.on('data', () => resolve()));
  show('worker, to its first task', await leastOf(['worker'], 'firstLine', /Worker on/), 1.5);
  dev.kill('SIGINT');
  await once(dev, 'close');
} finally {
  rmSync(dir, { recursive: true, force: true });
}
