import { type ChildProcess, spawn } from 'node:child_process';
import { randomInt, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { closeSync, existsSync, openSync, readFileSync } from 'node:fs';
import { get } from 'node:http';
import { basename, dirname, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Connection, isGrpcServiceError } from '@temporalio/client';
import { msToTs } from '@temporalio/common/lib/time.js';
import { CURRENT_TEMPORAL, OLDEST_TEMPORAL } from '../../../scripts/temporal-versions.mjs';
import { SEARCH_ATTRIBUTES } from '../../domain/names.ts';
import type { KeyRing } from '../codec/keys.ts';
import { GRPC, takesConnections } from '../temporal/connection.ts';
import { ensureSearchAttributes } from '../temporal/namespace.ts';
import { bindable, freePort } from './ports.ts';
import { startWebUi, TemporalHttpApi, UiFiles } from './web-ui.ts';

/**
 * The HTTP ports of the dev server that it always has, and of which nothing of ours is used. They are on ports that browsers do not
 * connect to, since both answer pages of other sites: a page could otherwise give its own name this machine's address.
 */
interface HttpPorts {
  /**
   * HTTP API. It compares Host with the allowed ones, but answers to any Host on the routes of Nexus, which servers from 1.32 on
   * always have: nobody serves Nexus operations here, so that they lead nowhere.
   */
  api: number;
  /** Metrics: numbers of calls by namespace, task queue and workflow type. */
  metrics: number;
}

const HOST = '127.0.0.1';
const ANSWER_MS = 5_000;

/** Unprivileged ports that no browser connects to (Fetch standard, "port blocking"). */
export const BLOCKED_BY_BROWSERS: readonly number[] = [
  ...[1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697],
  10080,
];

export async function chooseHttpPorts(taken: readonly number[]): Promise<HttpPorts> {
  const api = await blockedPort(taken);
  return { api, metrics: await blockedPort([...taken, api]) };
}

/**
 * One that browsers do not connect to, else any free one, on 127.0.0.1. Begins anywhere in the list: of two stacks that start at
 * the same time, the second would find the first free one taken.
 */
async function blockedPort(taken: readonly number[]): Promise<number> {
  const first = randomInt(BLOCKED_BY_BROWSERS.length);
  for (const port of [...BLOCKED_BY_BROWSERS.slice(first), ...BLOCKED_BY_BROWSERS.slice(0, first)]) {
    if (!taken.includes(port) && (await bindable(port)) !== undefined) return port;
  }
  return freePort(taken);
}

const httpPortFlags = ({ api, metrics }: HttpPorts): string[] => [
  ...['--http-port', `${api}`, '--metrics-port', `${metrics}`],
  // The only Host that the API accepts; nobody receives it.
  ...['--dynamic-config-value', `frontend.httpAllowedHosts=${JSON.stringify([`${randomUUID()}.invalid`])}`],
  // Closes the routes of Nexus of servers before 1.32.
  ...['--dynamic-config-value', 'system.enableNexus=false'],
];

/** Whether the API really keeps web pages out: another version of the CLI may treat the flags differently. */
async function webPagesAreKeptOut({ api: port }: HttpPorts): Promise<boolean> {
  const headers = { host: 'page.invalid', origin: 'http://page.invalid' };
  const status = await new Promise<number | undefined>((resolve, reject) => {
    const options = { host: HOST, port, path: '/api/v1/namespaces', headers, agent: false, timeout: ANSWER_MS };
    const request = get(options, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    request.once('error', reject).once('timeout', () => request.destroy(new Error('no answer')));
  });
  return status === 403;
}

interface EmbeddedServerOptions {
  cliPath: string;
  /** SQLite file with all workflows; outlives the server. */
  dbFile: string;
  /** The server's own output; truncated at each boot, continued by `replace`. */
  logFile: string;
  port: number;
  uiPort: number;
  /** Where the files of the Web UI are kept, for this version of the CLI. */
  uiFolder: string;
  /** Keys with which the Web UI decodes payloads; undefined: it shows them encrypted. */
  codecKeys: KeyRing | undefined;
  /** Called with the process id at once, so that the server can be found again if its owner is killed. */
  onSpawn?: (pid: number) => void;
}

export interface EmbeddedServer {
  address: string;
  uiUrl: string;
  readonly pid: number;
  /** Resolves with how the process ended, for any reason. */
  readonly exited: Promise<string>;
  /**
   * Ends the process, however stuck, and starts another on the same file and ports, to which `pid` and `exited` belong from then
   * on. Throws an `EmbeddedServerError` if that does not start.
   */
  replace(): Promise<void>;
  stop(): Promise<void>;
}

/** One process of it. */
type ServerProcess = Pick<EmbeddedServer, 'pid' | 'exited'> & { stop(patienceMs?: number): Promise<void> };

/** The server did not start, or ended by itself. */
export class EmbeddedServerError extends Error {
  override readonly name = 'EmbeddedServerError';
  /** True if it exited at once: a port was taken at the last moment, or the file is unusable. */
  readonly endedAtOnce: boolean;

  constructor(endedAtOnce: boolean, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.endedAtOnce = endedAtOnce;
  }
}

const NAMESPACE = 'default';
const BOOT_LIMIT_MS = 60_000;
const STOP_PATIENCE_MS = 10_000;
/** For a server that does not answer: one that is stopped ignores SIGTERM. */
const STUCK_PATIENCE_MS = 3_000;
/** GOGC. The server's heap is small: at Go's default, garbage collection takes a quarter of its CPU time. */
const GARBAGE_PERCENT = '400';
const RETENTION_MS = 90 * 24 * 3_600_000;

/**
 * Starts the CLI's dev server on a SQLite file, and our server of its Web UI. Resolves when it serves, has our search attributes
 * and retention, and has been checked to answer no page of another site.
 */
export async function startEmbeddedServer(options: EmbeddedServerOptions): Promise<EmbeddedServer> {
  const webUi = await startWebUi({
    port: options.uiPort,
    api: new TemporalHttpApi(`${HOST}:${options.port}`),
    files: new UiFiles({ cliPath: options.cliPath, folder: options.uiFolder }),
    codec: options.codecKeys && { keys: options.codecKeys, namespace: NAMESPACE },
  }).catch((error: unknown) => {
    throw new EmbeddedServerError(true, `port ${options.uiPort} of the Web UI cannot be used`, error);
  });
  try {
    let server = await startServer(options, 'w');
    return {
      address: `${HOST}:${options.port}`,
      uiUrl: webUi.url,
      get pid() {
        return server.pid;
      },
      get exited() {
        return server.exited;
      },
      async replace() {
        await server.stop(STUCK_PATIENCE_MS);
        server = await startServer(options, 'a');
      },
      async stop() {
        await webUi.close();
        await server.stop();
      },
    };
  } catch (error) {
    await webUi.close();
    throw error;
  }
}

/**
 * Another stack that starts at the same moment may take a port between its choice and its use: browsers block few. The server is
 * then started again, with others for its HTTP.
 */
async function startServer(options: EmbeddedServerOptions, logFlag: 'w' | 'a'): Promise<ServerProcess> {
  for (let starts = 1; ; starts += 1) {
    try {
      return await startOnce(options, starts === 1 ? logFlag : 'a');
    } catch (error) {
      const hasLostAPort = error instanceof EmbeddedServerError && error.endedAtOnce && PORT_LOST.test(error.message);
      if (!hasLostAPort || starts === STARTS_MAX) throw error;
    }
  }
}

const STARTS_MAX = 4;
const PORT_LOST = /address already in use/;

async function startOnce(options: EmbeddedServerOptions, logFlag: 'w' | 'a'): Promise<ServerProcess> {
  const httpPorts = await chooseHttpPorts([options.port, options.uiPort]);
  const child = spawnServer(options, httpPorts, logFlag);
  const exited = new Promise<string>((resolve) =>
    child.once('exit', (code, signal) =>
      resolve(signal === null ? `ended with exit code ${code}` : `ended by ${signal}`),
    ),
  );
  const { pid } = child;
  if (pid === undefined) throw await notStarted(child, options);
  options.onSpawn?.(pid);
  // A process that ends without `stop` ends its server too; after a SIGKILL, the next boot does.
  const endWithUs = () => child.kill('SIGTERM');
  process.once('exit', endWithUs);
  const stop = async (patienceMs?: number) => {
    process.removeListener('exit', endWithUs);
    await end(child, patienceMs);
  };
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
  if (await webPagesAreKeptOut(httpPorts)) return { pid, exited, stop };
  await stop();
  throw new EmbeddedServerError(
    false,
    `this Temporal CLI answers web pages of other sites, which versions ${OLDEST_TEMPORAL.cli} to ${CURRENT_TEMPORAL.cli} do not`,
  );
}

async function notStarted(child: ChildProcess, { dbFile }: EmbeddedServerOptions): Promise<EmbeddedServerError> {
  const [error] = await once(child, 'error').catch((reason: unknown) => [reason]);
  const folder = dirname(dbFile);
  if (existsSync(folder)) return new EmbeddedServerError(false, 'the Temporal CLI could not be started', error);
  return new EmbeddedServerError(
    true,
    `the embedded Temporal server did not start: there is no folder ${folder}`,
    error,
  );
}

function spawnServer(
  { cliPath, dbFile, logFile, port }: EmbeddedServerOptions,
  httpPorts: HttpPorts,
  logFlag: 'w' | 'a',
): ChildProcess {
  const log = openSync(logFile, logFlag, 0o600);
  try {
    return spawn(resolve(cliPath), serverArguments(dbFile, port, httpPorts), {
      // It takes a path for part of a URL: with # or ? in it, it would use another file.
      cwd: dirname(dbFile),
      // Its own process group: Ctrl-C must not end the server before its worker.
      detached: true,
      stdio: ['ignore', log, log],
      // Passes on none of our secrets, and none of the user's TEMPORAL_* variables. It asks for the name and home of its user, who
      // may be a number without them.
      env: { GOGC: GARBAGE_PERCENT, USER: 'payouts', HOME: dirname(dbFile) },
    });
  } finally {
    closeSync(log);
  }
}

function serverArguments(dbFile: string, port: number, httpPorts: HttpPorts): string[] {
  return [
    ...['server', 'start-dev', '--ip', HOST, '--port', `${port}`, '--headless', ...httpPortFlags(httpPorts)],
    ...keepingFlags(basename(dbFile)),
    // Read by nobody but us: it tells the server of this home from others (`boot.ts`).
    ...['--dynamic-config-value', `payouts.databaseFile=${JSON.stringify(dbFile)}`],
    ...Object.entries(SEARCH_ATTRIBUTES).flatMap(([name, type]) => ['--search-attribute', `${name}=${type}`]),
  ];
}

/** Flags for how a dev server stores its data, and for less work. */
export const keepingFlags = (dbFile: string): string[] => [
  ...['--db-filename', dbFile, '--log-level', 'error'],
  // Without WAL the database breaks down under load; synchronous=2 puts every commit on disk.
  ...['--sqlite-pragma', 'journal_mode=wal', '--sqlite-pragma', 'synchronous=2'],
  // A worker may get a requested activity with the answer, which saves a write. The default from server 1.32 on.
  ...['--dynamic-config-value', 'system.enableActivityEagerExecution=true'],
  // No worker of another namespace signals or cancels ours (CVE-2025-14987).
  ...['--dynamic-config-value', 'system.enableCrossNamespaceCommands=false'],
  // Callers cannot have the server start programs, as 1.31.0 to 1.31.2 allow by default (CVE-2026-89139).
  ...['--dynamic-config-value', 'workercontroller.compute_providers.enabled=["none"]'],
  // Serves a backlog by priority, and users in turn (`src/platform/temporal/workflow-executions.ts`).
  ...['--dynamic-config-value', 'matching.enableFairness=true'],
];

async function untilItServes(child: ChildProcess, port: number): Promise<void> {
  const deadline = performance.now() + BOOT_LIMIT_MS;
  let problem: unknown;
  while (performance.now() < deadline) {
    if (hasEnded(child)) throw new Error('it ended at once');
    try {
      // Checked first: a gRPC channel that cannot connect waits a second before it tries again.
      if (!(await takesConnections(HOST, port))) throw new Error('nothing answers');
      await prepareNamespace(`${HOST}:${port}`);
      // If another server had won a race for the port, it would have answered, but ours would have exited.
      if (!hasEnded(child)) return;
    } catch (error) {
      problem = error;
      await pause(50);
    }
  }
  throw problem;
}

async function prepareNamespace(address: string): Promise<void> {
  const connection = await Connection.connect({ address, connectTimeout: '2s', channelArgs: OWN_CONNECTION });
  try {
    await connection.withDeadline(Date.now() + BOOT_LIMIT_MS, () => setNamespace(connection));
  } finally {
    await connection.close();
  }
}

/** Settings for which the command line has no flag, or one that affects only new databases (search attributes). */
async function setNamespace(connection: Connection): Promise<void> {
  const { config } = await connection.workflowService.describeNamespace({ namespace: NAMESPACE });
  const retention = msToTs(RETENTION_MS);
  if (`${config?.workflowExecutionRetentionTtl?.seconds}` !== `${retention.seconds}`) {
    await connection.workflowService.updateNamespace({
      namespace: NAMESPACE,
      config: { workflowExecutionRetentionTtl: retention },
    });
  }
  await ensureSearchAttributes(connection, NAMESPACE);
}

async function end(child: ChildProcess, patienceMs = STOP_PATIENCE_MS): Promise<void> {
  if (hasEnded(child)) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  const force = setTimeout(() => child.kill('SIGKILL'), patienceMs);
  await ended;
  clearTimeout(force);
}

const hasEnded = ({ exitCode, signalCode }: ChildProcess): boolean => exitCode !== null || signalCode !== null;

/** Their end: the server's errors end with their cause, behind all that failed because of it. */
function lastLines(file: string): string {
  return readFileSync(file, 'utf8').trim().split('\n').slice(-3).join(' | ').slice(-600) || 'no output';
}

interface SickLimits {
  /** Milliseconds between two calls. */
  everyMs: number;
  /** A server is sick once so many calls in a row had no answer, the last one for `everyMs`. */
  unansweredMax: number;
}

export interface KeepLimits extends SickLimits {
  /** Replacements within `withinMs` after which another one would not help. */
  replacedMax: number;
  withinMs: number;
}

const NO_ANSWER = 'no answer';

/** Rejects if there is no answer within `limitMs`. */
export type Ask = (limitMs: number) => Promise<void>;

/**
 * Resolves with the reason once a server is sick, with undefined when `stopped`. Counts calls instead of time: any length of
 * time this process is suspended for, it has made at most one call more. An answer counts however late it comes, so that a slow
 * server on a busy machine is not sick.
 */
export async function untilSick(
  ask: Ask,
  { everyMs, unansweredMax }: SickLimits,
  stopped: AbortSignal,
): Promise<string | undefined> {
  let [unanswered, problem] = [0, NO_ANSWER];
  while (unanswered < unansweredMax) {
    unanswered += 1;
    ask(everyMs * unansweredMax).then(
      () => {
        unanswered = 0;
      },
      (error: Error) => {
        problem = error.message;
      },
    );
    try {
      await pause(everyMs, undefined, { signal: stopped });
    } catch {
      return undefined;
    }
  }
  return `${unansweredMax} calls in a row failed: ${problem}`;
}

/** Channels of a process share their connections otherwise, and with them how long one that failed is not tried again. */
const OWN_CONNECTION = { 'grpc.use_local_subchannel_pool': 1 } as const;

/**
 * Asks a Temporal server for what it has to read from its database: the health service answers SERVING with a broken one. Over a
 * connection of its own, once, so that nothing but the server can be the reason for no answer.
 */
export async function askServer(address: string, namespace: string, limitMs: number): Promise<void> {
  const connection = Connection.lazy({ address, interceptors: [], channelArgs: OWN_CONNECTION });
  try {
    await connection.withDeadline(Date.now() + limitMs, () =>
      connection.workflowService.describeNamespace({ namespace }),
    );
  } catch (error) {
    throw isGrpcServiceError(error) ? new Error(answerOf(error), { cause: error }) : error;
  } finally {
    await connection.close();
  }
}

const answerOf = ({ code, details }: { code: number; details: string }): string =>
  code === GRPC.DEADLINE_EXCEEDED ? NO_ANSWER : details.slice(0, 200);
