import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type Client, Connection } from '@temporalio/client';
import { findTemporalCli } from '../../../scripts/temporal-cli.mjs';
import { loadConfig } from '../../../src/platform/config.ts';
import { keepingFlags } from '../../../src/platform/embedded/server.ts';
import { connectTemporal, takesConnections } from '../../../src/platform/temporal/connection.ts';
import { ensureSearchAttributes } from '../../../src/platform/temporal/namespace.ts';
import { createDatabase, dropDatabase } from '../../support/databases.ts';
import { makeNamespace } from '../../support/namespace.ts';
import { freePorts } from '../chaos/processes.ts';
import { MeasuredProcess, metered, ownProgram } from './measured-process.ts';
import type { BenchOptions, PlaceName } from './options.ts';
import { listenerOf } from './process-usage.ts';

export const PAYOUTS = fileURLToPath(new URL('../../../bin/payouts.mjs', import.meta.url));
const HOST = '127.0.0.1';
const BOOT_LIMIT_MS = 60_000;

/** Where arms run: a Temporal server, a bank, a store, and the processes that do the work. */
export interface Place {
  name: PlaceName;
  settleMs: number;
  isOtherBank: boolean;
  /** Folder of everything it writes. */
  dir: string;
  bankUrl: string;
  temporal: { address: string; namespace: string };
  /** With the product's codec. */
  client: Client;
  /** Environment of a metered process of the product under this name. */
  productEnv(name: string): Record<string, string>;
  /** Database of the DBOS arm; undefined without a PostgreSQL. */
  dbosUrl: string | undefined;
  /** Ids of processes by what they are; undefined where they cannot be seen. */
  pids: Record<'server' | 'database' | 'bank', number | undefined>;
  /** Starts a program of the bench, or a command, that ends with the place. */
  start(name: string, command: readonly string[], env?: Record<string, string>, talks?: boolean): MeasuredProcess;
  end(): Promise<void>;
}

/** @throws Error without a Temporal CLI, or when something does not come up */
export async function openPlace(name: PlaceName, settleMs: number, options: BenchOptions): Promise<Place> {
  const opened = new AsyncDisposableStack();
  try {
    const dir = mkdtempSync(join(tmpdir(), 'payouts-bench-'));
    opened.defer(() => rmSync(dir, { recursive: true, force: true }));
    mkdirSync(join(dir, 'home'));
    const running: Place['start'] = (title, [command = '', ...args], env = {}, talks = true) => {
      const started = new MeasuredProcess({ dir, name: title, command, args, env }, { talks });
      opened.defer(() => started.end());
      return started;
    };
    const bank = await bankOf(options, settleMs, running, dir);
    const server = await temporalOf(name, options, running, dir);
    const namespace = await ownNamespace(server.address);
    const { postgresUrl } = options;
    const storeUrl =
      name === 'postgres' && postgresUrl !== undefined
        ? await makeDatabase(postgresUrl, 'bench_store', opened)
        : `file:${join(dir, 'home', 'store.sqlite')}`;
    const dbosUrl = postgresUrl === undefined ? undefined : await makeDatabase(postgresUrl, 'bench_dbos', opened);
    const productEnv = (title: string): Record<string, string> => ({
      ...metered(dir, title, bank.url),
      ...credentials(),
      PAYOUTS_HOME: join(dir, 'home'),
      PAYOUTS_STORE_URL: storeUrl,
      PAYOUTS_API_URL: bank.url,
      PAYOUTS_ONE_MACHINE: 'true',
      PAYOUTS_LOG_LEVEL: 'error',
      PAYOUTS_WINDOW: `${options.atOnce}`,
      // What a payout costs is measured, not what a bank is spared.
      PAYOUTS_API_RATE: '100000',
      PAYOUTS_API_RATE_PER_USER: '100000',
      // As the embedded Temporal has them by itself.
      PAYOUTS_CODEC_KEYS: `bench:${Buffer.alloc(32, 1).toString('base64')}`,
      TEMPORAL_ADDRESS: server.address,
      TEMPORAL_NAMESPACE: namespace,
    });
    const temporal = { address: server.address, namespace };
    const at = { temporalAddress: server.address, namespace };
    const { client } = opened.adopt(await connectTemporal(loadConfig(productEnv('client')), at), (it) => it.close());
    const database = postgresUrl === undefined ? undefined : listenerOf(portOf(postgresUrl, 5432));
    const pids = { server: server.pid, database, bank: bank.pid };
    return {
      ...{ name, settleMs, isOtherBank: options.bank !== undefined, dir, bankUrl: bank.url },
      ...{ temporal, client, productEnv, dbosUrl, pids, start: running },
      end: () => opened.disposeAsync(),
    };
  } catch (error) {
    await opened.disposeAsync();
    throw error;
  }
}

async function bankOf({ bank }: BenchOptions, settleMs: number, start: Place['start'], dir: string) {
  if (bank !== undefined) return { url: bank, pid: listenerOf(portOf(bank, 80)) };
  const child = start('bank', [process.execPath, ownProgram('bank-process.ts'), `${settleMs}`], {
    PATH: process.env.PATH ?? '',
    HOME: dir,
  });
  const { url } = await child.said<{ url: string }>();
  return { url, pid: child.pid };
}

async function temporalOf(place: PlaceName, { temporal }: BenchOptions, start: Place['start'], dir: string) {
  if (place === 'postgres' && temporal !== undefined) {
    return { address: temporal, pid: listenerOf(portOf(`tcp://${temporal}`, 7233)) };
  }
  const { path, tried } = findTemporalCli(process.env);
  if (path === undefined) throw new Error(`no Temporal CLI found (${tried.join('; ')}); run: npm run setup`);
  const [port = 0] = await freePorts(1);
  const flags = ['--ip', HOST, '--port', `${port}`, ...keepingFlags(join(dir, 'temporal.sqlite'))];
  const { pid } = start('temporal', [path, 'server', 'start-dev', '--headless', ...flags], {}, false);
  const deadline = performance.now() + BOOT_LIMIT_MS;
  while (!(await takesConnections(HOST, port))) {
    if (performance.now() > deadline) throw new Error('the Temporal server does not answer');
    await pause(50);
  }
  return { address: `${HOST}:${port}`, pid };
}

/** One of its own for each place: a namespace belongs to one store. */
async function ownNamespace(address: string): Promise<string> {
  const namespace = `bench-${randomBytes(4).toString('hex')}`;
  const connection = await Connection.connect({ address });
  try {
    await makeNamespace(connection, namespace);
    const deadline = performance.now() + BOOT_LIMIT_MS;
    for (;;) {
      try {
        await ensureSearchAttributes(connection, namespace);
        return namespace;
      } catch (error) {
        // The server learns of a new namespace with a delay.
        if (performance.now() > deadline) throw error;
        await pause(200);
      }
    }
  } finally {
    await connection.close();
  }
}

async function makeDatabase(server: string, prefix: string, opened: AsyncDisposableStack): Promise<string> {
  const name = `${prefix}_${randomBytes(4).toString('hex')}`;
  const url = await createDatabase(server, name);
  opened.defer(() => dropDatabase(server, name));
  return url;
}

const portOf = (url: string, otherwise: number): number => Number(new URL(url).port) || otherwise;

/** Of another bank than the sandbox. */
function credentials(): Record<string, string> {
  const names = ['PAYOUTS_API_KEY', 'PAYOUTS_API_SECRET'];
  return Object.fromEntries(names.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : [])));
}
