import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { inject } from 'vitest';
import { endLeftover } from '../../src/embedded/leftover.ts';
import { COMPILE_CACHE } from './compile-cache.ts';
import { sharedProcess } from './shared-process.ts';
import { onCluster, TEST_CLUSTER } from './test-cluster.ts';

const COMMAND = fileURLToPath(new URL('../../bin/payouts.mjs', import.meta.url));

/** How a process ended and what it printed. */
export interface Ended {
  /** null when a signal ended it. */
  code: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
}

/** A process that is under way. */
export interface Running {
  pid: number;
  ended: Promise<Ended>;
  /** Resolves as soon as stderr and stdout together match; rejects when the process ends before. */
  says(pattern: RegExp): Promise<void>;
  /** All that it has printed on stdout so far. */
  printed(): string;
  kill(signal: NodeJS.Signals): void;
}

/** The real command in a home of its own; closing it ends what is still running and removes every file. */
export interface CommandHome {
  /** PAYOUTS_HOME. */
  path: string;
  storeUrl: string;
  /** Runs `payouts ARGS` to its end: in a process of its own, or in a shared one where no stack is booted for it. */
  payouts(...args: string[]): Promise<Ended>;
  /** Starts `payouts ARGS` in a process of its own. */
  start(...args: string[]): Running;
  /** Runs the `temporal` CLI against the stack that is up in this home. */
  temporal(...args: string[]): Promise<Ended>;
  /** Writes an input file beside the home and returns its path. */
  file(name: string, contents: string | Uint8Array): string;
  /** What `stack.json` of the home says; undefined when there is none. */
  stack(): StackJson | undefined;
  close(): Promise<void>;
}

export interface StackJson {
  temporalAddress: string;
  namespace: string;
  uiUrl: string;
  apiUrl: string;
  gatewayUrl: string | null;
  pid: number;
  temporalPid: number;
}

/** They read the store, or the file they are given: no stack is booted for them. */
const BOOTS_NOTHING: ReadonlySet<string | undefined> = new Set([
  ...['list', 'status', 'report', 'reference', 'validate', 'template', 'incidents', 'audit'],
]);

/** While one of them runs, other commands join its stack. */
const KEEPS_A_STACK_UP: ReadonlySet<string | undefined> = new Set(['dev', 'run', 'watch']);

/** On a cluster no stack has a worker of its own. */
const NEEDS_A_WORKER: ReadonlySet<string | undefined> = new Set(['run']);

/** Waits of the product that a test need not sit out, shrunk to a twentieth. */
export const QUICK = { PAYOUTS_TIME_SCALE: '0.05' };

/**
 * `env` is laid over a clean environment: nothing of the caller's settings is inherited. A command that needs a stack boots
 * one, `boots`, unless one of `start` is up: then it joins that one.
 */
export function openCommandHome(
  env: Readonly<Record<string, string>> = QUICK,
  { boots = true }: { boots?: boolean } = {},
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
  const shared = sharedProcess({ cwd: dir, env: environment });
  let stacksUp = 0;
  const launch = (command: string, args: readonly string[]): Running => {
    const it = launchProcess(command, args, { cwd: dir, env: environment });
    running.add(it);
    void it.ended.finally(() => running.delete(it));
    return it;
  };
  const stack = (): StackJson | undefined => {
    const file = join(path, 'stack.json');
    return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined;
  };
  const start = (...args: string[]): Running => {
    const started = launch(process.execPath, [COMMAND, ...args]);
    if (KEEPS_A_STACK_UP.has(args[0])) {
      stacksUp += 1;
      void started.ended.finally(() => {
        stacksUp -= 1;
      });
    }
    return started;
  };
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
    start: (...args) => (args[0] === 'dev' && needsWorker(env) ? withWorker(start(...args), start) : start(...args)),
    async payouts(...args) {
      if (boots && stacksUp === 0 && !BOOTS_NOTHING.has(args[0])) {
        if (needsWorker(env) && NEEDS_A_WORKER.has(args[0])) await untilWorker();
        return launch(process.execPath, [COMMAND, ...args]).ended;
      }
      const { code, stdout, stderr } = await shared.run(args);
      return { code, signal: null, stdout, stderr };
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
      await shared.close();
      const left = [...running];
      for (const { kill } of left) kill('SIGKILL');
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
function withWorker(dev: Running, start: (...args: string[]) => Running): Running {
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
): Running {
  const child = spawn(command, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
  const printed = { stdout: '', stderr: '' };
  const listeners = new Set<() => void>();
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      printed[name] += text;
      for (const listener of listeners) listener();
    });
  }
  const ended = once(child, 'close').then(([code, signal]): Ended => ({ code, signal, ...printed }));
  return {
    pid: child.pid ?? 0,
    ended,
    kill: (signal) => child.kill(signal),
    printed: () => printed.stdout,
    says(pattern) {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const look = (): void => {
        if (pattern.test(printed.stderr + printed.stdout)) resolve();
      };
      listeners.add(look);
      look();
      void ended.then(() => reject(new Error(`ended without saying ${pattern}: ${printed.stderr}${printed.stdout}`)));
      return promise.finally(() => listeners.delete(look));
    },
  };
}

/** Payloads are encrypted: the command reads and writes them through the codec server of the embedded stack, or of the gateway. */
function codecOf(url: string | null, args: readonly string[]): string[] {
  const workflowId = args[args.indexOf('--workflow-id') + 1];
  const written = args.includes('--workflow-id') ? ['--codec-header', `X-Workflow-Id=${workflowId}`] : [];
  return ['--codec-endpoint', `${url}/codec`, ...written];
}
