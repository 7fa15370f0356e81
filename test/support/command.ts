import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, inject } from 'vitest';
import { endLeftover } from '../../src/platform/embedded/boot.ts';
import { COMPILE_CACHE } from './compile-cache.ts';
import { type Ended, Prints, type Running } from './running.ts';
import { startShared } from './shared-process.ts';
import { onCluster, TEST_CLUSTER } from './test-cluster.ts';

const COMMAND = fileURLToPath(new URL('../../bin/payouts.mjs', import.meta.url));

export type { Ended, Running } from './running.ts';

/** A command in a process of its own. */
export interface Process extends Running {
  pid: number;
}

/** The real command in a home of its own; closing it ends what is still running and removes every file. */
export interface CommandHome {
  /** PAYOUTS_HOME. */
  path: string;
  storeUrl: string;
  /** Runs `payouts ARGS` to its end, in the process that all homes share. */
  payouts(...args: string[]): Promise<Ended>;
  /** Starts `payouts ARGS` there: it can be interrupted, not killed. */
  serve(...args: string[]): Running;
  /** Starts `payouts ARGS` in a process of its own, where that is what a test is about: killed, measured, its log. */
  start(...args: string[]): Process;
  /** Runs the `temporal` CLI against the stack that is up in this home. */
  temporal(...args: string[]): Promise<Ended>;
  /** Writes an input file beside the home and returns its path. */
  file(name: string, contents: string | Uint8Array): string;
  /** What `stack.json` of the home says; undefined when there is none. */
  stack(): StackJson | undefined;
  close(): Promise<void>;
}

interface StackJson {
  temporalAddress: string;
  namespace: string;
  uiUrl: string;
  apiUrl: string;
  gatewayUrl: string | null;
  pid: number;
  temporalPid: number;
}

/** While one of them runs, other commands join its stack. */
const KEEPS_A_STACK_UP: ReadonlySet<string | undefined> = new Set(['dev', 'run', 'watch']);

/** On a cluster no stack has a worker of its own. */
const NEEDS_A_WORKER: ReadonlySet<string | undefined> = new Set(['run']);

/** Waits of the product that a test need not sit out, shrunk to a twentieth. */
export const QUICK = { PAYOUTS_TIME_SCALE: '0.05' };

/** A home for all tests of a file, whose stack `dev` keeps up. */
export function stackOfFile(env?: Readonly<Record<string, string>>): CommandHome {
  const home = openCommandHome(env);
  beforeAll(() => home.serve('dev').says(/Up until Ctrl-C/));
  afterAll(() => home.close());
  return home;
}

/**
 * `env` is laid over a clean environment: nothing of the caller's settings is inherited. `pays`: unless it is said that no
 * command gets as far, one that may pay has a worker on a cluster.
 */
export function openCommandHome(
  env: Readonly<Record<string, string>> = QUICK,
  { pays = true }: { pays?: boolean } = {},
): CommandHome {
  const dir = mkdtempSync(join(tmpdir(), 'payouts-command-'));
  const path = join(dir, 'home');
  const files = join(dir, 'files');
  mkdirSync(files);
  const running = new Set<Running>();
  const environment: Record<string, string | undefined> = {
    PATH: process.env.PATH,
    HOME: dir,
    TEMPORAL_CLI_PATH: inject('temporalCli'),
    PAYOUTS_HOME: path,
    // Payouts of tests are alike and meant; the guard has tests of its own.
    PAYOUTS_LOOK_ALIKE_DAYS: '0',
    ...COMPILE_CACHE,
    ...onCluster(path, env, inject('temporalCli')),
    ...env,
  };
  let stacksUp = 0;
  const keep = <Kept extends Running>(it: Kept): Kept => {
    running.add(it);
    void it.ended.finally(() => running.delete(it)).catch(() => undefined);
    return it;
  };
  const launch = (command: string, args: readonly string[]): Process =>
    keep(launchProcess(command, args, { cwd: dir, env: environment }));
  const countStack = <Kept extends Running>(it: Kept, [name]: readonly string[]): Kept => {
    if (!KEEPS_A_STACK_UP.has(name)) return it;
    stacksUp += 1;
    void it.ended
      .finally(() => {
        stacksUp -= 1;
      })
      .catch(() => undefined);
    return it;
  };
  const stack = (): StackJson | undefined => {
    const file = join(path, 'stack.json');
    return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined;
  };
  const start = (...args: string[]): Process => countStack(launch(process.execPath, [COMMAND, ...args]), args);
  const serve = (...args: string[]): Running => countStack(keep(startShared(args, environment)), args);
  const onOwnWorker = <Kept extends Running>(it: Kept, [name]: readonly string[]): Kept =>
    name === 'dev' && needsWorker(env) ? withWorker(it, start) : it;
  let worker: Promise<void> | undefined;
  /** One that does not come up says so itself, and so does the command. */
  const untilWorker = (): Promise<void> => {
    worker ??= start('worker')
      .says(/Worker on/)
      .catch(() => undefined);
    return worker;
  };
  return {
    path,
    storeUrl: environment.PAYOUTS_STORE_URL ?? `file:${join(path, 'store.sqlite')}`,
    stack,
    start: (...args) => onOwnWorker(start(...args), args),
    serve: (...args) => onOwnWorker(serve(...args), args),
    async payouts(...args) {
      if (pays && stacksUp === 0 && needsWorker(env) && NEEDS_A_WORKER.has(args[0])) await untilWorker();
      return keep(startShared(args, environment)).ended;
    },
    temporal(...args) {
      const up = stack();
      if (up === undefined) throw new Error('no stack is running in this home');
      return launch(inject('temporalCli'), [
        ...args,
        '--address',
        up.temporalAddress,
        '--namespace',
        up.namespace,
        ...codecOf(TEST_CLUSTER === undefined ? up.uiUrl : up.gatewayUrl, args),
      ]).ended;
    },
    file(name, contents) {
      const file = join(files, name);
      writeFileSync(file, contents);
      return file;
    },
    async close() {
      // Those of other homes go on in the process that these share.
      const left = [...running];
      for (const it of left) it.kill('pid' in it ? 'SIGKILL' : 'SIGINT');
      await Promise.all(left.map(({ ended }) => ended));
      await endLeftover(path);
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

/** A stack starts no worker for a cluster. */
const needsWorker = (env: Readonly<Record<string, string>>): boolean =>
  TEST_CLUSTER !== undefined && env.TEMPORAL_ADDRESS === undefined;

/** It joins the stack for its bank, and ends with it. */
function withWorker<Dev extends Running>(dev: Dev, start: (...args: string[]) => Running): Dev {
  const working = dev.says(/Up until Ctrl-C/).then(() => {
    const worker = start('worker');
    void dev.ended.then(() => worker.kill('SIGKILL'));
    return worker.says(/Worker on/);
  });
  working.catch(() => undefined);
  return { ...dev, says: (pattern) => (pattern.test('Up until Ctrl-C') ? working : dev.says(pattern)) };
}

function launchProcess(
  command: string,
  args: readonly string[],
  options: { cwd: string; env: NodeJS.ProcessEnv },
): Process {
  const child = spawn(command, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
  const prints = new Prints();
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => prints.add(name, text));
  }
  const ended = once(child, 'close').then(([code, signal]): Ended => ({ code, signal, ...prints.text }));
  return {
    pid: child.pid ?? 0,
    ended,
    kill: (signal) => child.kill(signal),
    printed: () => prints.text.stdout,
    says: (pattern) => prints.says(pattern, ended),
  };
}

/**
 * Payloads are encrypted: the command reads and writes them through the codec server of the embedded stack, or of the gateway.
 */
function codecOf(url: string | null, args: readonly string[]): string[] {
  const workflowId = args[args.indexOf('--workflow-id') + 1];
  const written = args.includes('--workflow-id') ? ['--codec-header', `X-Workflow-Id=${workflowId}`] : [];
  return ['--codec-endpoint', `${url}/codec`, ...written];
}
