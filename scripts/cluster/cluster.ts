import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { type HomeLock, lockHome } from '../../src/platform/embedded/home.ts';
import { findTemporalCli } from '../temporal-cli.mjs';
import { goPrograms } from './go-programs.ts';
import { type ClusterHome, openClusterHome, type Ports } from './home.ts';
import { endLeftovers, rememberLaunches } from './leftovers.ts';
import { ClusterError, type Part } from './part.ts';
import { databaseFiles, databaseRoles, findPostgres, postgres } from './postgres.ts';
import { clusterEnv, productParts, storeTables } from './product.ts';
import { ServerProcess } from './server-process.ts';
import { temporalNamespace, temporalSchema, temporalServer, temporalUi } from './temporal.ts';

export interface ClusterOptions {
  home: string;
  ports?: Ports;
  /** Of the machine: PATH, HOME, and settings of the product. */
  env: NodeJS.ProcessEnv;
  /** Settings of PostgreSQL beyond its defaults, `name=value`. */
  postgresSettings?: readonly string[];
  dynamicConfig?: string;
  /** Ends a start that is under way. */
  signal?: AbortSignal;
  say(line: string): void;
}

/**
 * The parts that the product needs in the order of their start, none of them started yet. `env`: of the machine, with the
 * folders of what was found in PATH. Throws a `ClusterError` for what the machine lacks.
 */
export async function layGround(options: Omit<ClusterOptions, 'signal'>) {
  const { env: machine, say } = options;
  const postgresPrograms = findPostgres(machine);
  const { path: cli, tried } = findTemporalCli(machine);
  if (cli === undefined) throw new ClusterError(`no Temporal CLI found (${tried.join('; ')})`, 'npm run setup');
  const programs = await goPrograms(machine, say);
  const home = await openClusterHome(options.home, options.ports);
  const env = { PATH: [programs, dirname(cli), machine.PATH].join(':'), HOME: machine.HOME ?? home.path };
  const database = { programs: postgresPrograms, home, env, settings: options.postgresSettings, say };
  const temporal = { home, programs, env, dynamicConfig: options.dynamicConfig, say };
  const [postgresServer, server] = [postgres(database), temporalServer(temporal)];
  const parts: Part[] = [
    ...[databaseFiles(database), postgresServer, databaseRoles(database), storeTables(home, env)],
    ...[temporalSchema(temporal), server, temporalNamespace(temporal), temporalUi(temporal)],
  ];
  return { home, parts, database: postgresServer, temporal: server, env, postgresPrograms };
}

export type Cluster = Awaited<ReturnType<typeof startCluster>>;

/**
 * Starts every part, each once the one before is healthy. `env`: what a command needs to belong to it. Throws a `ClusterError`,
 * with nothing of it left running.
 */
export async function startCluster(options: ClusterOptions) {
  mkdirSync(options.home, { recursive: true, mode: 0o711 });
  const lock = takeHome(options.home);
  const parts: Part[] = [];
  const stop = stopper(parts, lock, options.say);
  try {
    await endLeftovers(options.home, options.say);
    const ground = await layGround(options);
    const { home } = ground;
    const own = ownSettings(options.env);
    const product = { home, env: ground.env, own, say: options.say };
    const env = clusterEnv(home, own);
    parts.push(...ground.parts, ...productParts(product));
    await startAll(parts, home, options);
    return { home, env, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

function takeHome(home: string): HomeLock {
  const lock = lockHome(home);
  if (lock === undefined)
    throw new ClusterError(`the cluster in ${home} is already running`, 'Stop it first, or choose another --home.');
  return lock;
}

const OWN = /^(?:PAYOUTS_.*|NODE_(?:OPTIONS|COMPILE_CACHE|EXTRA_CA_CERTS))$/;

/** What the caller says of the product, a time scale or another bank, holds in its processes. */
const ownSettings = (env: NodeJS.ProcessEnv): Record<string, string> =>
  Object.fromEntries(
    Object.entries(env).flatMap(([key, value]) => (OWN.test(key) && value !== undefined ? [[key, value]] : [])),
  );

async function startAll(
  parts: readonly Part[],
  home: ClusterHome,
  { say, signal }: Pick<ClusterOptions, 'say' | 'signal'>,
): Promise<void> {
  rememberLaunches(home.path, processesOf(parts));
  for (const part of parts) {
    if (signal?.aborted) throw new ClusterError('interrupted');
    const from = performance.now();
    await part.start();
    say(
      `${part.name} is ${part instanceof ServerProcess ? 'healthy' : 'done'} (${((performance.now() - from) / 1_000).toFixed(1)} s)`,
    );
  }
}

const processesOf = (parts: readonly Part[]): ServerProcess[] => parts.filter((part) => part instanceof ServerProcess);

/** The last first: no part loses what it needs. */
function stopper(parts: readonly Part[], lock: HomeLock, say: (line: string) => void): () => Promise<void> {
  let stopped: Promise<void> | undefined;
  return () => {
    stopped ??= (async () => {
      for (const part of processesOf(parts).toReversed()) {
        await part.stop();
        say(`${part.name} has ended`);
      }
      lock.release();
    })();
    return stopped;
  };
}
