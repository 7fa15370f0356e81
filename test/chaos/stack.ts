import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findTemporalCli } from '../../scripts/temporal-cli.mjs';
import { SEARCH_ATTRIBUTES } from '../../src/domain/names.ts';
import { answers } from '../../src/temporal/answers.ts';
import { COMPILE_CACHE } from '../support/compile-cache.ts';
import { BankDoor } from './bank-door.ts';
import { bankTimes, type ChaosOptions, profileOf } from './options.ts';
import { type Command, command, freePorts, Supervised } from './processes.ts';
import { rowsOf } from './rows.ts';
import { StoreFile } from './store-file.ts';

const PAYOUTS = fileURLToPath(new URL('../../bin/payouts.mjs', import.meta.url));
const HOST = '127.0.0.1';
const WORKERS = 2;

/** The real stack of one run: every part a process of its own, on files and ports that outlive it. */
export interface Stack {
  /** Folder of everything the run writes. */
  dir: string;
  temporalAddress: string;
  temporal: Supervised;
  sandbox: Supervised;
  workers: Supervised[];
  bank: BankDoor;
  store: StoreFile;
  /** The file of payouts. */
  file: string;
  /** Runs `payouts ARGS` once. */
  payouts(...args: string[]): Command;
  end(): Promise<void>;
}

export async function startStack(options: ChaosOptions): Promise<Stack> {
  const dir = mkdtempSync(join(tmpdir(), 'payouts-chaos-'));
  const home = join(dir, 'home');
  mkdirSync(home);
  const storeFile = join(home, 'store.sqlite');
  const file = join(dir, 'payouts.json');
  writeFileSync(file, JSON.stringify({ payouts: rowsOf(options.payouts) }, null, 1));
  const [temporalPort = 0, sandboxPort = 0] = await freePorts(2);
  const bankUrl = `http://${HOST}:${sandboxPort}`;
  const temporalAddress = `${HOST}:${temporalPort}`;
  const bank = new BankDoor(bankUrl, profileOf(options), {
    seed: options.seed,
    rate: options.rate,
    readRate: options.readRate,
    kinds: options.kinds,
    lateMs: bankTimes(options).bankLateMs,
  });
  const env = {
    PATH: process.env.PATH ?? '',
    HOME: dir,
    PAYOUTS_HOME: home,
    PAYOUTS_STORE_URL: `file:${storeFile}`,
    PAYOUTS_API_URL: bankUrl,
    TEMPORAL_ADDRESS: temporalAddress,
    PAYOUTS_ONE_MACHINE: 'true',
    PAYOUTS_TIME_SCALE: `${options.timeScale}`,
    ...COMPILE_CACHE,
    PAYOUTS_WINDOW: `${Math.max(6, Math.min(50, Math.ceil(options.payouts / 4)))}`,
  };
  const node = (name: string, args: readonly string[], onStart?: () => Promise<void>): Supervised =>
    new Supervised({
      name,
      command: process.execPath,
      args: [PAYOUTS, ...args],
      env,
      logFile: join(dir, `${name}.log`),
      onStart,
    });
  const temporal = temporalServer(dir, temporalPort);
  const sandbox = node('sandbox', ['sandbox', '--port', `${sandboxPort}`, '--file', join(home, 'sandbox.sqlite')], () =>
    bank.up(),
  );
  const workers = Array.from({ length: WORKERS }, (_, n) => node(`worker-${n + 1}`, ['worker']));
  const all = [...workers, sandbox, temporal];
  const stack: Stack = {
    ...{ dir, temporalAddress, temporal, sandbox, workers, bank, file },
    store: new StoreFile(storeFile),
    payouts: (...args) => command(process.execPath, [PAYOUTS, ...args], env),
    end: async () => {
      await Promise.all(all.map((it) => it.end()));
    },
  };
  try {
    await Promise.all([temporal.start(), sandbox.start()]);
    await Promise.all(workers.map((worker) => worker.start()));
  } catch (error) {
    await stack.end();
    throw error;
  }
  return stack;
}

function temporalServer(dir: string, port: number): Supervised {
  const { path, tried } = findTemporalCli(process.env);
  if (path === undefined) throw new Error(`no Temporal CLI: run "npm run setup" (${tried.join('; ')})`);
  return new Supervised({
    name: 'temporal',
    command: path,
    args: [
      ...['server', 'start-dev', '--headless', '--ip', HOST, '--port', `${port}`, '--log-level', 'error'],
      ...['--db-filename', join(dir, 'temporal.sqlite')],
      ...['--sqlite-pragma', 'journal_mode=wal', '--sqlite-pragma', 'synchronous=2'],
      ...Object.entries(SEARCH_ATTRIBUTES).flatMap(([name, type]) => ['--search-attribute', `${name}=${type}`]),
    ],
    env: {},
    logFile: join(dir, 'temporal.log'),
    onStart: async () => {
      const deadline = performance.now() + 60_000;
      while (!(await answers(HOST, port))) {
        if (performance.now() > deadline) throw new Error('the Temporal server does not answer');
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    },
  });
}
