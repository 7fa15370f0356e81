import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import { cacheFolder } from '../../../scripts/temporal-cli.mjs';
import { Problem } from '../../domain/problem.ts';
import { keyRingOfHome, TEMPORAL_FILE } from '../codec/keys.ts';
import type { Config } from '../config.ts';
import { temporalCli } from './cli-path.ts';
import { liveFollowers } from './followers.ts';
import {
  folderMark,
  type HomeLock,
  makeHomePrivate,
  processArguments,
  processMark,
  readJsonFile,
  StackError,
  writeJsonFile,
} from './home.ts';
import { keepServer } from './keep-server.ts';
import { choosePorts, type Ports, rememberPorts, type StackPorts } from './ports.ts';
import { type EmbeddedServer, EmbeddedServerError, startEmbeddedServer } from './server.ts';
import type { Part, Stack, StackAddresses, StackOptions } from './stack.ts';
import { readStackFile, removeStackFile, type StackDescription, writeStackFile } from './stack-file.ts';

/** The process that serves a home's Temporal database, recorded so that it can be found if its owner is killed. */
const record = z.object({
  pid: z.int(),
  mark: z.string(),
  dbFile: z.string(),
  /** The folder, by what a copy of it does not share. Earlier builds did not say. */
  folder: z.string().optional(),
});

const STOP_PATIENCE_MS = 10_000;

const file = (home: string): string => join(home, 'temporal.pid');

export function recordServer(home: string, pid: number, dbFile: string): void {
  writeJsonFile(file(home), { pid, mark: processMark(pid) ?? '', dbFile, folder: folderMark(home) });
}

const forgetServer = (home: string): void => rmSync(file(home), { force: true });

/**
 * Ends a Temporal server that outlived its owner: two servers on one database would both claim to serve. Ends only exactly the
 * recorded process, and only if this home's database is among its arguments. Returns whether there was one.
 *
 * @throws StackError for a copy of a home whose server runs: its store and the original's would both pay what is open
 */
export async function endLeftover(home: string): Promise<boolean> {
  const leftover = readJsonFile(file(home), record);
  const found = leftover !== undefined && isThatServer(leftover);
  if (found && (leftover.folder ?? folderMark(home)) !== folderMark(home)) throw isCopied(home, leftover.pid);
  if (found) await end(leftover);
  forgetServer(home);
  return found;
}

const isCopied = (home: string, pid: number): StackError =>
  new StackError(
    'copied',
    `${home} is a copy of a home that process ${pid} still serves, and both would pay what is open`,
    'End the stack of the original and use only one of the two from now on, or set another PAYOUTS_HOME.',
  );

function isThatServer({ pid, mark, dbFile }: z.infer<typeof record>): boolean {
  return (
    processMark(pid) === mark &&
    processArguments(pid).some((it) => it.includes(dbFile) || it.includes(JSON.stringify(dbFile)))
  );
}

async function end(server: z.infer<typeof record>): Promise<void> {
  const deadline = performance.now() + STOP_PATIENCE_MS;
  for (let signal: NodeJS.Signals = 'SIGTERM'; isThatServer(server); ) {
    process.kill(server.pid, signal);
    while (isThatServer(server) && (signal === 'SIGKILL' || performance.now() < deadline)) await pause(50);
    signal = 'SIGKILL';
  }
}

export const SANDBOX_FILE = 'sandbox.sqlite';

const FOLLOWER_PULSE_MS = 200;

/** Started parts, in the order of their start; ended in reverse. */
type Running = Part[];

/** Boots the embedded parts of a home whose lock this process holds. If one fails to start, all are ended again. */
export async function bootStack(config: Config, options: StackOptions, lock: HomeLock): Promise<Stack> {
  const running: Running = [{ close: async () => lock.release() }];
  try {
    // The file of a killed owner must not be joined while this one boots.
    removeStackFile(config.home);
    await endLeftover(config.home);
    // First of all: nobody else may read the folder while parts create files in it.
    makeHomePrivate(config.home);
    return await startParts(config, options, running);
  } catch (error) {
    await endAll(running);
    if (error instanceof Problem) throw error;
    const message = error instanceof Error ? error.message : 'the stack did not start';
    throw new StackError('boot-failed', message, `The log of the server is temporal.log in ${config.home}.`, error);
  }
}

async function startParts(config: Config, options: StackOptions, running: Running): Promise<Stack> {
  const { home } = config;
  const ports = await choosePorts(home, options.ports);
  const place: Placing = { home, given: options.ports, ports };
  const [server, sandboxUrl] = await inParallel(
    config.temporal.kind === 'embedded' ? startServer(config, options, place, running) : undefined,
    config.bank.kind === 'sandbox' ? startSandbox(config, options, place, running) : undefined,
  );
  // Temporal's server has created its database: -wal and -shm get the mode that the file has from now on.
  makeHomePrivate(home);
  const addresses = addressesOf(config, server, sandboxUrl);
  if (server !== undefined) running.push(await options.startWorker(addresses));
  const { startGateway } = options;
  const gateway = startGateway && (await onPorts(place, ['gateway'], () => startGateway(addresses, ports.gateway)));
  if (gateway !== undefined) running.push(gateway);
  const gatewayUrl = gateway?.url ?? null;
  rememberPorts(home, ports);
  const description: StackDescription = {
    ...addresses,
    gatewayUrl,
    pid: process.pid,
    // Another one when the server was replaced.
    get temporalPid() {
      return server?.pid ?? null;
    },
    temporal: config.temporal.kind,
    bank: config.bank.kind,
    stays: options.stays ?? options.mode === 'serve',
  };
  writeStackFile(home, description);
  return { ...addresses, gatewayUrl, ...ownership(home, description, running) };
}

function addressesOf({ temporal, bank, uiUrl }: Config, server?: EmbeddedServer, sandboxUrl?: string): StackAddresses {
  return {
    temporalAddress: temporal.kind === 'cluster' ? temporal.address : (server?.address ?? ''),
    namespace: temporal.namespace,
    apiUrl: bank.kind === 'remote' ? bank.url : (sandboxUrl ?? ''),
    uiUrl: uiUrl ?? server?.uiUrl ?? null,
  };
}

function ownership(
  home: string,
  description: StackDescription,
  running: Running,
): Pick<Stack, 'owner' | 'failure' | 'close'> {
  let closing: Promise<void> | undefined;
  let abandoned = false;
  const close = async () => {
    await untilAlone(home, description, () => abandoned);
    await endAll(running);
  };
  return {
    owner: true,
    failure: new Promise((resolve) => {
      const firstEnd = Promise.race(running.flatMap(({ failure }) => failure ?? []));
      firstEnd.then((error) => closing ?? resolve(error));
    }),
    close({ abandonFollowers = false } = {}) {
      abandoned ||= abandonFollowers;
      closing ??= close();
      return closing;
    },
  };
}

/** Waits until every follower has left. One may join between the count and the removal of the file, so it is counted again. */
async function untilAlone(home: string, description: StackDescription, isAbandoned: () => boolean): Promise<void> {
  for (;;) {
    while (!isAbandoned() && liveFollowers(home) > 0) await pause(FOLLOWER_PULSE_MS);
    removeStackFile(home);
    if (isAbandoned() || liveFollowers(home) === 0) return;
    writeStackFile(home, description);
  }
}

interface Placing {
  home: string;
  /** Ports that the caller requires. */
  given: StackPorts | undefined;
  /** Those chosen for this boot. */
  ports: Ports;
}

/**
 * Starts a part that uses `names`. Any process can take a free port between its choice and the start: then once more on others,
 * which are set in `ports`.
 */
async function onPorts<P>(place: Placing, names: readonly (keyof Ports)[], start: () => Promise<P>): Promise<P> {
  return start().catch(async (error: unknown) => {
    if (!mayHaveLostPort(error)) throw error;
    const again = await choosePorts(place.home, place.given);
    for (const name of names) place.ports[name] = again[name];
    return start();
  });
}

const mayHaveLostPort = (error: unknown): boolean =>
  error instanceof EmbeddedServerError
    ? error.endedAtOnce
    : error instanceof Error && 'code' in error && ['EADDRINUSE', 'stack-port-taken'].includes(`${error.code}`);

async function startServer(
  config: Config,
  { log, keepLimits }: StackOptions,
  place: Placing,
  running: Running,
): Promise<EmbeddedServer> {
  const { home } = config;
  const server = await onPorts(place, ['temporal', 'ui'], () => serverOn(config, place.ports));
  const keeper = keepServer(server, {
    home,
    dbFile: join(home, TEMPORAL_FILE),
    namespace: config.temporal.namespace,
    log,
    limits: keepLimits,
    replaced() {
      makeHomePrivate(home);
      // Not there while the stack boots or ends.
      const written = readStackFile(home);
      if (written !== undefined) writeStackFile(home, { ...written, temporalPid: server.pid });
    },
  });
  running.push({
    close: async () => {
      await keeper.close();
      await server.stop();
      forgetServer(home);
    },
    failure: keeper.failure,
  });
  return server;
}

function serverOn(config: Config, ports: Ports): Promise<EmbeddedServer> {
  const { home } = config;
  const dbFile = join(home, TEMPORAL_FILE);
  const keys = config.codecKeys() ?? keyRingOfHome(home);
  const { path, versions } = temporalCli(config.cliSearch);
  return startEmbeddedServer({
    cliPath: path,
    uiFolder: join(cacheFolder(config.cliSearch), `temporal-ui-${versions.ui}`),
    dbFile,
    logFile: join(home, 'temporal.log'),
    port: ports.temporal,
    uiPort: ports.ui,
    codecKeys: asksForTokens(config) ? undefined : keys,
    onSpawn: (pid) => recordServer(home, pid, dbFile),
  });
}

/** If so, not everybody on this machine may read payloads, and the Web UI's port cannot identify the caller. */
const asksForTokens = ({ policyFile, gateway }: Config): boolean =>
  policyFile !== undefined || gateway.tokens.reveal().length > 0;

async function startSandbox(config: Config, options: StackOptions, place: Placing, running: Running): Promise<string> {
  const file = join(config.home, SANDBOX_FILE);
  const sandbox = await onPorts(place, ['api'], () => options.startSandbox({ file, port: place.ports.api }));
  running.push(sandbox);
  return sandbox.url;
}

/** Waits for both even if one fails: what was started must be known to be ended. */
async function inParallel<A, B>(
  a: Promise<A> | undefined,
  b: Promise<B> | undefined,
): Promise<[A | undefined, B | undefined]> {
  await Promise.allSettled([a, b]);
  return Promise.all([a, b]);
}

async function endAll(running: Running): Promise<void> {
  const problems: unknown[] = [];
  for (const part of running.splice(0).reverse()) await part.close().catch((error: unknown) => problems.push(error));
  if (problems.length > 0) throw problems[0];
}
