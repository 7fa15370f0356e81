import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { COMPILE_CACHE } from '../../support/compile-cache.ts';
import { BankProxy } from './bank-proxy.ts';
import { clusterGround } from './cluster-ground.ts';
import { type Ground, smallGround } from './ground.ts';
import { bankTimes, type ChaosOptions, ON_CLUSTER, profileOf } from './options.ts';
import { type Command, command, freePorts, Supervised } from './processes.ts';
import { rowsOf } from './rows.ts';
import type { StoredTables } from './stored-tables.ts';

const PAYOUTS = fileURLToPath(new URL('../../../bin/payouts.mjs', import.meta.url));
const HOST = '127.0.0.1';
const WORKERS = 2;

/** The real stack of one run: every part a process of its own, on files and ports that outlive it. */
export interface Stack {
  /** Folder of everything the run writes. */
  dir: string;
  /** Epoch ms. */
  startedAt: number;
  temporalAddress: string;
  namespace: string;
  temporal: Supervised;
  /** What it uses. */
  ground: Ground;
  /** PostgreSQL; undefined where Temporal and store have a file each. */
  database: Supervised | undefined;
  sandbox: Supervised;
  workers: Supervised[];
  bank: BankProxy;
  store: StoredTables;
  /** The file of payouts. */
  file: string;
  /** Runs `payouts ARGS` once. */
  payouts(...args: string[]): Command;
  /** The same with other settings. */
  payoutsWith(settings: Readonly<Record<string, string>>, ...args: string[]): Command;
  end(): Promise<void>;
}

/** Processes are killed, never the machine: what a database has written is there, and need not be synced again to be up. */
const layGround = (dir: string, home: string): Promise<Ground> =>
  ON_CLUSTER ? clusterGround(dir, ['fsync=off']) : smallGround(dir, home);

export async function startStack(options: ChaosOptions): Promise<Stack> {
  const dir = mkdtempSync(join(tmpdir(), 'payouts-chaos-'));
  const home = join(dir, 'home');
  mkdirSync(home);
  const file = join(dir, 'payouts.json');
  writeFileSync(file, JSON.stringify({ payouts: rowsOf(options.payouts) }, null, 1));
  const ground = await (options.lay ?? layGround)(dir, home);
  const [sandboxPort = 0] = await freePorts(1);
  const bankUrl = `http://${HOST}:${sandboxPort}`;
  const bank = new BankProxy(bankUrl, profileOf(options), {
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
    PAYOUTS_API_URL: bankUrl,
    ...ground.env,
    PAYOUTS_TIME_SCALE: `${options.timeScale}`,
    ...COMPILE_CACHE,
    PAYOUTS_WINDOW: `${Math.max(6, Math.min(50, Math.ceil(options.payouts / 4)))}`,
  };
  const node = (name: string, args: readonly string[], onStart?: () => Promise<void>): Supervised =>
    new Supervised({
      name,
      command: process.execPath,
      args: [PAYOUTS, ...args],
      env: { ...env, ...options.envOf?.(name) },
      logFile: join(dir, `${name}.log`),
      onStart,
    });
  const sandbox = node('sandbox', ['sandbox', '--port', `${sandboxPort}`, '--file', join(dir, 'sandbox.sqlite')], () =>
    bank.up(),
  );
  const workers = Array.from({ length: WORKERS }, (_, n) => node(`worker-${n + 1}`, ['worker']));
  const { temporalAddress, namespace, temporal, database, store } = ground;
  const stack: Stack = {
    ...{
      dir,
      startedAt: Date.now(),
      ground,
      temporalAddress,
      namespace,
      temporal,
      database,
      store,
      sandbox,
      workers,
      bank,
      file,
    },
    payouts: (...args) => command(process.execPath, [PAYOUTS, ...args], env),
    payoutsWith: (settings, ...args) => command(process.execPath, [PAYOUTS, ...args], { ...env, ...settings }),
    end: async () => {
      await Promise.all([...workers, sandbox, temporal].map((it) => it.end()));
      await database?.end();
    },
  };
  try {
    await Promise.all([ground.start(), sandbox.start()]);
    await Promise.all(workers.map((worker) => worker.start()));
  } catch (error) {
    await stack.end();
    throw error;
  }
  return stack;
}
