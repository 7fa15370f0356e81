import { join } from 'node:path';
import { findTemporalCli } from '../../../scripts/temporal-cli.mjs';
import { SEARCH_ATTRIBUTES } from '../../../src/domain/names.ts';
import { takesConnections } from '../../../src/platform/temporal/connection.ts';
import { freePorts, Supervised } from './processes.ts';
import { ofFile, StoredTables } from './stored-tables.ts';

export const HOST = '127.0.0.1';

/** What a run's workers and commands use: a Temporal and a store. */
export interface Ground {
  temporalAddress: string;
  namespace: string;
  temporal: Supervised;
  /** PostgreSQL, where Temporal and store are in one. */
  database: Supervised | undefined;
  store: StoredTables;
  /** What the product needs to find both. */
  env: Readonly<Record<string, string>>;
  start(): Promise<void>;
  /** Gives back what is no process, once they have ended; not after a run that failed. */
  release?(): void;
}

/** Temporal's dev server and an SQLite store, both files of `home`. */
export async function smallGround(dir: string, home: string): Promise<Ground> {
  const [port = 0] = await freePorts(1);
  const storeFile = join(home, 'store.sqlite');
  const temporalAddress = `${HOST}:${port}`;
  const temporal = devServer(dir, port);
  return {
    temporalAddress,
    namespace: 'default',
    temporal,
    database: undefined,
    store: new StoredTables(ofFile(storeFile)),
    env: { PAYOUTS_STORE_URL: `file:${storeFile}`, TEMPORAL_ADDRESS: temporalAddress, PAYOUTS_ONE_MACHINE: 'true' },
    start: () => temporal.start(),
  };
}

export function devServer(dir: string, port: number): Supervised {
  const { path, tried } = findTemporalCli(process.env);
  if (path === undefined) throw new Error(`no Temporal CLI found (${tried.join('; ')}); run: npm run setup`);
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
    onStart: () => untilUp('the Temporal server', () => takesConnections(HOST, port)),
  });
}

const UP_LIMIT_MS = 120_000;

/** Resolves once it is healthy. */
export async function untilUp(name: string, isUp: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + UP_LIMIT_MS;
  while (!(await isUp())) {
    if (performance.now() > deadline) throw new Error(`${name} does not answer`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
