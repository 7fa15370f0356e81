import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { Connection } from '@temporalio/client';
import { msToTs } from '@temporalio/common/lib/time.js';
import type { KeyRing } from '../codec/key-ring.ts';
import { SEARCH_ATTRIBUTES } from '../domain/names.ts';
import { ensureSearchAttributes } from '../temporal/search-attributes.ts';
import { takesConnections } from '../temporal/takes-connections.ts';
import { chooseDoors, doorArguments, doorsAreClosed, type TemporalDoors } from './temporal-doors.ts';
import { startWebUi } from './web-ui.ts';

interface EmbeddedServerOptions {
  cliPath: string;
  /** SQLite file that keeps every workflow; survives the server. */
  dbFile: string;
  /** The server's own output, truncated at each boot. */
  logFile: string;
  port: number;
  /** Of our own proxy before the Web UI. */
  uiPort: number;
  /** Keys that the Web UI decodes payloads by; undefined: it shows them encrypted. */
  codecKeys: KeyRing | undefined;
  /** Called at once with the process id, so that a server can be found again after its owner was killed. */
  onSpawn?: (pid: number) => void;
}

export interface EmbeddedServer {
  address: string;
  namespace: string;
  uiUrl: string;
  pid: number;
  /** Resolves when the process ends, for whatever reason. */
  exited: Promise<void>;
  stop(): Promise<void>;
}

/** The server did not come up, or ended by itself. */
export class EmbeddedServerError extends Error {
  override readonly name = 'EmbeddedServerError';
  /** It refused to run: a port was taken in the last moment, or the file is unusable. */
  readonly endedAtOnce: boolean;

  constructor(endedAtOnce: boolean, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.endedAtOnce = endedAtOnce;
  }
}

const NAMESPACE = 'default';
const HOST = '127.0.0.1';
const BOOT_LIMIT_MS = 60_000;
const STOP_PATIENCE_MS = 10_000;
/** Its heap is small: as Go collects it by default, that is a quarter of the server's CPU time. */
const GARBAGE_PERCENT = '400';
/** Closed workflows stay readable for this long. */
const RETENTION_MS = 90 * 24 * 3_600_000;

/**
 * Starts the CLI's dev server on a SQLite file, with a proxy before its Web UI, and returns once it serves with our search
 * attributes and retention, and answers no page of another site.
 */
export async function startEmbeddedServer(options: EmbeddedServerOptions): Promise<EmbeddedServer> {
  const doors = await chooseDoors([options.port, options.uiPort]);
  const codec = options.codecKeys && { keys: options.codecKeys, namespace: NAMESPACE };
  const webUi = await startWebUi(options.uiPort, doors, codec).catch((error: unknown) => {
    throw new EmbeddedServerError(true, `port ${options.uiPort} of the Web UI cannot be used`, error);
  });
  try {
    const server = await startServer(options, doors);
    const stop = async () => {
      await webUi.close();
      await server.stop();
    };
    return { ...server, uiUrl: webUi.url, stop };
  } catch (error) {
    await webUi.close();
    throw error;
  }
}

async function startServer(
  options: EmbeddedServerOptions,
  doors: TemporalDoors,
): Promise<Omit<EmbeddedServer, 'uiUrl'>> {
  const child = spawnServer(options, doors);
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const { pid } = child;
  if (pid === undefined) throw new EmbeddedServerError(false, 'the Temporal CLI could not be started');
  options.onSpawn?.(pid);
  // A process that ends without `stop` takes its server along; after SIGKILL the next boot ends it.
  const endWithUs = () => child.kill('SIGTERM');
  process.once('exit', endWithUs);
  const stop = async () => {
    process.removeListener('exit', endWithUs);
    await end(child);
  };
  const address = `${HOST}:${options.port}`;
  try {
    await untilItServes(child, options.port);
  } catch (error) {
    const endedAtOnce = hasEnded(child);
    await stop();
    throw new EmbeddedServerError(
      endedAtOnce,
      `the embedded Temporal server did not start: ${lastLines(options.logFile)}`,
      error,
    );
  }
  if (await doorsAreClosed(doors)) return { address, namespace: NAMESPACE, pid, exited, stop };
  await stop();
  throw new EmbeddedServerError(false, 'this Temporal CLI answers web pages of other sites; version 1.5.1 does not');
}

function spawnServer({ cliPath, dbFile, logFile, port }: EmbeddedServerOptions, doors: TemporalDoors): ChildProcess {
  const log = openSync(logFile, 'w', 0o600);
  try {
    return spawn(cliPath, serverArguments(dbFile, port, doors), {
      // A process group of its own: Ctrl-C must not end the server before its worker.
      detached: true,
      stdio: ['ignore', log, log],
      // No secret of ours and no TEMPORAL_* of the user reaches it.
      env: { GOGC: GARBAGE_PERCENT },
    });
  } finally {
    closeSync(log);
  }
}

function serverArguments(dbFile: string, port: number, doors: TemporalDoors): string[] {
  return [
    ...['server', 'start-dev', '--ip', HOST, '--port', `${port}`, ...doorArguments(doors)],
    ...keepingFlags(dbFile),
    ...Object.entries(SEARCH_ATTRIBUTES).flatMap(([name, type]) => ['--search-attribute', `${name}=${type}`]),
  ];
}

/** How a dev server keeps its file, and what spares it work. */
export const keepingFlags = (dbFile: string): string[] => [
  ...['--db-filename', dbFile, '--log-level', 'error'],
  // Without WAL the file collapses under load; synchronous=2 puts every commit on disk.
  ...['--sqlite-pragma', 'journal_mode=wal', '--sqlite-pragma', 'synchronous=2'],
  // A worker that asks for an activity has it in the answer: a write less. From server 1.32 on that is so by itself.
  ...['--dynamic-config-value', 'system.enableActivityEagerExecution=true'],
  // A backlog by priority, and each user in turn (`src/temporal/priorities.ts`).
  ...['--dynamic-config-value', 'matching.enableFairness=true'],
];

async function untilItServes(child: ChildProcess, port: number): Promise<void> {
  const deadline = performance.now() + BOOT_LIMIT_MS;
  let problem: unknown;
  while (performance.now() < deadline) {
    if (hasEnded(child)) throw new Error('it ended at once');
    try {
      // A gRPC channel that finds nobody waits a second before it looks again.
      if (!(await takesConnections(HOST, port))) throw new Error('nothing answers');
      await prepareNamespace(`${HOST}:${port}`);
      // Had our server lost a race for the port, another one would have answered and ours would be gone.
      if (!hasEnded(child)) return;
    } catch (error) {
      problem = error;
      await pause(50);
    }
  }
  throw problem;
}

/** Settings the command line has no flag for, or applies to a new file only (search attributes). */
async function prepareNamespace(address: string): Promise<void> {
  const connection = await Connection.connect({ address, connectTimeout: '2s' });
  try {
    const { config } = await connection.workflowService.describeNamespace({ namespace: NAMESPACE });
    const retention = msToTs(RETENTION_MS);
    if (`${config?.workflowExecutionRetentionTtl?.seconds}` !== `${retention.seconds}`) {
      await connection.workflowService.updateNamespace({
        namespace: NAMESPACE,
        config: { workflowExecutionRetentionTtl: retention },
      });
    }
    await ensureSearchAttributes(connection, NAMESPACE);
  } finally {
    await connection.close();
  }
}

async function end(child: ChildProcess): Promise<void> {
  if (hasEnded(child)) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  const force = setTimeout(() => child.kill('SIGKILL'), STOP_PATIENCE_MS);
  await ended;
  clearTimeout(force);
}

const hasEnded = ({ exitCode, signalCode }: ChildProcess): boolean => exitCode !== null || signalCode !== null;

function lastLines(file: string): string {
  return readFileSync(file, 'utf8').trim().split('\n').slice(-3).join(' | ').slice(0, 600) || 'no output';
}
