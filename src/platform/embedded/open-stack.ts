import { existsSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { ConfigError } from '../config/key.ts';
import type { Config } from '../config.ts';
import { takesConnections } from '../temporal/connection.ts';
import { bootStack } from './boot.ts';
import { follow } from './followers.ts';
import { lockHome, processMark, StackError } from './home.ts';
import type { Stack, StackAddresses, StackOptions } from './stack.ts';
import { readStackFile, type StackDescription } from './stack-file.ts';

/**
 * Joins the home's stack; undefined if none answers. The caller knows that some process holds the home's lock. Throws a
 * `ConfigError` if the stack serves another bank or Temporal than the configured one, and with `staying` a `StackError` if it
 * ends with the command that booted it.
 */
async function joinStack(config: Config, { staying }: { staying: boolean }): Promise<Stack | undefined> {
  // Registered before the file is read: an ending owner removes the file first and then counts followers again.
  const follower = follow(config.home);
  try {
    const stack = await answeringStack(config.home);
    if (stack === undefined) {
      follower.leave();
      return undefined;
    }
    assertSameParts(config, stack);
    if (staying && !stack.stays) throw isLeaving(stack.pid);
    return {
      ...addressesOf(config, stack),
      gatewayUrl: stack.gatewayUrl,
      owner: false,
      failure: new Promise(() => {}),
      close: async () => follower.leave(),
    };
  } catch (error) {
    follower.leave();
    throw error;
  }
}

/** The content of `stack.json`, if its process runs and its embedded parts answer. */
export async function answeringStack(home: string): Promise<StackDescription | undefined> {
  const stack = readStackFile(home);
  if (stack === undefined || processMark(stack.pid) === undefined) return undefined;
  const addresses = [
    ...(stack.temporal === 'embedded' ? [new URL(`tcp://${stack.temporalAddress}`)] : []),
    ...(stack.bank === 'sandbox' ? [new URL(stack.apiUrl)] : []),
  ];
  const up = await Promise.all(addresses.map(({ hostname, port }) => takesConnections(hostname, Number(port))));
  return up.every(Boolean) ? stack : undefined;
}

const isLeaving = (pid: number): StackError =>
  new StackError(
    'down',
    `the stack that is up ends with process ${pid}`,
    'Wait for that process and start one that keeps running: payouts dev',
  );

function addressesOf(config: Config, { temporalAddress, namespace, apiUrl, uiUrl }: StackDescription): StackAddresses {
  return { temporalAddress, namespace, apiUrl, uiUrl: config.uiUrl ?? uiUrl };
}

function assertSameParts(config: Config, stack: StackDescription): void {
  const { bank, temporal } = config;
  const sameBank = bank.kind === stack.bank && (bank.kind === 'sandbox' || bank.url === stack.apiUrl);
  if (!sameBank) throw otherPart('PAYOUTS_API_URL', 'bank');
  const sameTemporal =
    temporal.kind === stack.temporal &&
    (temporal.kind === 'embedded' ||
      (temporal.address === stack.temporalAddress && temporal.namespace === stack.namespace));
  if (!sameTemporal) throw otherPart('TEMPORAL_ADDRESS', 'Temporal service');
}

function otherPart(key: string, part: string): ConfigError {
  return new ConfigError(
    key,
    `the stack running in this home uses a different ${part}`,
    'Stop that stack, set the same value, or use another PAYOUTS_HOME.',
  );
}

const BUSY_PATIENCE_MS = 60_000;
const BUSY_PULSE_MS = 200;

/**
 * The stack for a command: what is configured and, for the rest, the home's one embedded stack, joined or booted as `mode`
 * says. Throws a `StackError`, or a `ConfigError` if the stack that is up serves something else.
 */
export async function openStack(config: Config, options: StackOptions): Promise<Stack> {
  const external = externalStack(config);
  if (external !== undefined) return external;
  const { mode } = options;
  const boots = mode === 'serve' || mode === 'join-or-boot';
  const deadline = performance.now() + (options.busyPatienceMs ?? BUSY_PATIENCE_MS);
  for (;;) {
    if (!boots && !existsSync(config.home)) throw isDown();
    const lock = lockHome(config.home);
    if (lock !== undefined) {
      if (boots) return bootStack(config, options, lock);
      lock.release();
      throw isDown();
    }
    if (mode === 'serve') await assertNoneUp(config.home);
    const joined = mode === 'serve' ? undefined : await joinStack(config, { staying: mode === 'join-staying' });
    if (joined !== undefined) return joined;
    if (performance.now() > deadline) throw isBusy(config.home);
    await pause(BUSY_PULSE_MS);
  }
}

/** Bank and Temporal are both remote: nothing to boot or join. */
function externalStack(config: Config): Stack | undefined {
  const { temporal, bank } = config;
  if (temporal.kind === 'embedded' || bank.kind === 'sandbox') return undefined;
  return {
    temporalAddress: temporal.address,
    namespace: temporal.namespace,
    uiUrl: config.uiUrl ?? null,
    apiUrl: bank.url,
    gatewayUrl: null,
    owner: false,
    failure: new Promise(() => {}),
    close: async () => {},
  };
}

async function assertNoneUp(home: string): Promise<void> {
  const stack = await answeringStack(home);
  if (stack === undefined) return;
  throw new StackError(
    'already-up',
    `process ${stack.pid} is running a stack in ${home}`,
    'Use it, or set another PAYOUTS_HOME.',
  );
}

function isDown(): StackError {
  return new StackError('down', 'no stack is running in this home', 'Start one that keeps running: payouts dev');
}

function isBusy(home: string): StackError {
  return new StackError(
    'busy',
    `another process uses ${home}, but its stack does not answer`,
    'Wait until it has started or ended, or use another PAYOUTS_HOME.',
  );
}
