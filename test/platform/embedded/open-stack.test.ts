import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { findTemporalCli } from '../../../scripts/temporal-cli.mjs';
import { ConfigError } from '../../../src/platform/config/key.ts';
import { loadConfig } from '../../../src/platform/config.ts';
import { lockHome, processMark } from '../../../src/platform/embedded/home.ts';
import { openStack } from '../../../src/platform/embedded/open-stack.ts';
import { freePort, lastPorts } from '../../../src/platform/embedded/ports.ts';
import type { Stack, StackMode, StackOptions } from '../../../src/platform/embedded/stack.ts';
import { lastUiUrl, readStackFile, writeStackFile } from '../../../src/platform/embedded/stack-file.ts';
import { takesConnections } from '../../../src/platform/temporal/connection.ts';
import { COMPILE_CACHE } from '../../support/compile-cache.ts';
import { fakeParts } from './stack-process.ts';

const program = fileURLToPath(new URL('./stack-process.ts', import.meta.url));
let home: string;
let stacks: Stack[];
let children: ChildProcess[];

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'payouts-stack-'));
  stacks = [];
  children = [];
});

afterEach(async () => {
  for (const child of children) child.kill('SIGKILL');
  for (const stack of stacks) await stack.close({ abandonFollowers: true });
  const temporalPid = readStackFile(home)?.temporalPid;
  if (typeof temporalPid === 'number') process.kill(temporalPid, 'SIGKILL');
  rmSync(home, { recursive: true, maxRetries: 5, retryDelay: 100 });
});

const environment = (more: Record<string, string> = {}) => ({
  TEMPORAL_CLI_PATH: findTemporalCli(process.env).path ?? '',
  PAYOUTS_HOME: home,
  ...more,
});

async function open(
  mode: StackMode,
  env: Record<string, string> = {},
  more: Partial<StackOptions> = {},
): Promise<Stack> {
  const stack = await openStack(loadConfig(environment(env)), { ...fakeParts, mode, ...more });
  stacks.push(stack);
  return stack;
}

interface Opened {
  child: ChildProcess;
  stack: { temporalAddress: string; apiUrl: string; owner: boolean };
}

/** Opens the home's stack in a process of its own. */
async function openElsewhere(mode: StackMode): Promise<Opened> {
  const child = fork(program, [mode], { env: { ...environment(), ...COMPILE_CACHE, PATH: process.env.PATH } });
  children.push(child);
  const [stack] = await once(child, 'message');
  return { child, stack };
}

/** A stack of which only the sandbox is embedded: up in no time. */
const sandboxOnly = {
  TEMPORAL_ADDRESS: 'cluster.example:7233',
  TEMPORAL_TLS: 'true',
  TEMPORAL_NAMESPACE: 'pay',
  PAYOUTS_ONE_MACHINE: 'true',
};
const remoteBank = {
  PAYOUTS_API_URL: 'https://bank.example',
  PAYOUTS_API_KEY: 'k',
  PAYOUTS_API_SECRET: 's',
  PAYOUTS_ALLOW_CLEAR_PAYLOADS: 'true',
};

describe('an embedded stack', () => {
  it('is joined by other processes, and its owner waits for them before it ends', async () => {
    const owner = await open('serve');
    const written = readStackFile(home);
    expect(written).toMatchObject({
      temporalAddress: owner.temporalAddress,
      apiUrl: owner.apiUrl,
      pid: process.pid,
      gatewayUrl: null,
    });

    const follower = await openElsewhere('join-or-boot');
    expect(follower.stack).toEqual({ temporalAddress: owner.temporalAddress, apiUrl: owner.apiUrl, owner: false });

    let closed = false;
    const closing = owner.close().then(() => {
      closed = true;
    });
    // A round trip to a third process: the owner had every chance to end too early.
    await (await openElsewhere('join-only')).child.kill('SIGKILL');
    expect(closed).toBe(false);
    follower.child.send('close');
    await closing;
    expect(existsSync(join(home, 'stack.json'))).toBe(false);
    expect(lastUiUrl(home)).toBe(owner.uiUrl);
    expect(processMark(written?.temporalPid ?? 0)).toBeUndefined();
  });

  it('leaves a server behind when its owner is killed, which the next owner ends before it starts its own', async () => {
    const killed = await openElsewhere('serve');
    const leftover = readStackFile(home)?.temporalPid ?? 0;
    killed.child.kill('SIGKILL');
    await once(killed.child, 'exit');
    expect(processMark(leftover)).toBeDefined();
    await expect(open('join-only')).rejects.toMatchObject({ code: 'stack-down' });

    const next = await open('join-or-boot');
    expect(next.owner).toBe(true);
    expect(processMark(leftover)).toBeUndefined();
    expect(next).toMatchObject({ temporalAddress: killed.stack.temporalAddress, apiUrl: killed.stack.apiUrl });
  });
});

describe('each half alone', () => {
  it('boots the sandbox for a cluster, without server and worker', async () => {
    const startWorker = () => Promise.reject(new Error('no worker belongs here'));
    const stack = await open('join-or-boot', sandboxOnly, { startWorker });
    expect(stack).toMatchObject({
      owner: true,
      temporalAddress: 'cluster.example:7233',
      namespace: 'pay',
      uiUrl: null,
    });
    expect((await fetch(stack.apiUrl)).status).toBe(200);
    expect(existsSync(join(home, 'temporal.sqlite'))).toBe(false);
  });

  it('gives a part another port when the chosen one is taken before the part starts, but never for one that was asked for', async () => {
    const taken: number[] = [];
    const startSandbox: StackOptions['startSandbox'] = async (options) => {
      if (taken.length < 2 && !taken.includes(options.port)) {
        const other = createServer().listen(options.port, '127.0.0.1');
        onTestFinished(() => void other.close());
        await once(other, 'listening');
        taken.push(options.port);
      }
      return fakeParts.startSandbox(options);
    };
    await expect(
      open('serve', sandboxOnly, { startSandbox, ports: { api: await freePort([]) } }),
    ).rejects.toMatchObject({
      code: 'stack-port-taken',
    });
    const stack = await open('serve', sandboxOnly, {
      startGateway: (_addresses, port = 0) => startSandbox({ file: '', port }),
    });
    expect(taken).toHaveLength(2);
    expect(taken).not.toContain(Number(new URL(stack.gatewayUrl ?? '').port));
    expect(lastPorts(home)).toMatchObject({
      api: Number(new URL(stack.apiUrl).port),
      gateway: Number(new URL(stack.gatewayUrl ?? '').port),
    });
  });

  it('boots nothing and touches no home when both are elsewhere', async () => {
    const elsewhere = join(home, 'untouched');
    const stack = await open('join-only', {
      ...sandboxOnly,
      ...remoteBank,
      PAYOUTS_HOME: elsewhere,
      PAYOUTS_UI_URL: 'https://ui.example',
    });
    expect(stack).toMatchObject({ owner: false, apiUrl: 'https://bank.example', uiUrl: 'https://ui.example' });
    expect(existsSync(elsewhere)).toBe(false);
  });
});

describe('joining', () => {
  it('refuses a stack with another bank or another Temporal', async () => {
    await open('serve', sandboxOnly);
    await expect(open('join-or-boot', remoteBank)).rejects.toThrow(ConfigError);
    await expect(open('join-only', { ...sandboxOnly, TEMPORAL_NAMESPACE: 'other' })).rejects.toMatchObject({
      key: 'TEMPORAL_ADDRESS',
    });
  });

  it.each<[StackMode, Partial<StackOptions>]>([
    ['serve', {}],
    ['join-or-boot', { stays: true }],
  ])('takes a stack that stays up for what nobody follows: %s', async (mode, more) => {
    await open(mode, sandboxOnly, more);
    await expect(open('join-staying', sandboxOnly)).resolves.toMatchObject({ owner: false });
  });

  it('refuses a stack that ends with the command that booted it for what nobody follows', async () => {
    await open('join-or-boot', sandboxOnly);
    await expect(open('join-staying', sandboxOnly)).rejects.toMatchObject({
      code: 'stack-down',
      message: `The stack that is up ends with process ${process.pid}.`,
    });
    await expect(open('join-only', sandboxOnly)).resolves.toMatchObject({ owner: false });
  });

  it('never trusts a stack file without a process that holds the home', async () => {
    const stack = await open('serve', sandboxOnly);
    const written = readStackFile(home);
    await stack.close();
    if (written !== undefined) writeStackFile(home, written);
    await expect(open('join-only', sandboxOnly)).rejects.toMatchObject({ code: 'stack-down' });
  });

  it('says that the home is busy when its holder does not come up', async () => {
    const lock = lockHome(home);
    await expect(open('join-or-boot', sandboxOnly, { busyPatienceMs: 50 })).rejects.toMatchObject({
      code: 'stack-busy',
    });
    lock?.release();
  });

  it('does not happen where a stack of one’s own is asked for', async () => {
    await open('serve', sandboxOnly);
    await expect(open('serve', sandboxOnly)).rejects.toMatchObject({ code: 'stack-already-up' });
  });

  it('is not possible in a home that does not exist, which stays so', async () => {
    const fresh = join(home, 'fresh');
    await expect(open('join-only', { ...sandboxOnly, PAYOUTS_HOME: fresh })).rejects.toMatchObject({
      code: 'stack-down',
    });
    expect(existsSync(fresh)).toBe(false);
  });
});

describe('a stack that does not come up', () => {
  it('ends what was up already and frees the home', async () => {
    let [sandboxUrl, temporal] = ['', ''];
    const startSandbox: StackOptions['startSandbox'] = async (options) => {
      const sandbox = await fakeParts.startSandbox(options);
      sandboxUrl = sandbox.url;
      return sandbox;
    };
    const startWorker: StackOptions['startWorker'] = ({ temporalAddress }) => {
      temporal = temporalAddress;
      return Promise.reject(new Error('no worker today'));
    };
    await expect(open('serve', {}, { startSandbox, startWorker })).rejects.toMatchObject({
      code: 'stack-boot-failed',
      message: 'No worker today.',
    });
    await expect(fetch(sandboxUrl)).rejects.toThrow();
    expect(existsSync(join(home, 'temporal.pid'))).toBe(false);
    const { hostname, port } = new URL(`tcp://${temporal}`);
    expect(await takesConnections(hostname, Number(port))).toBe(false);
    expect((await open('serve', sandboxOnly)).owner).toBe(true);
  });
});
