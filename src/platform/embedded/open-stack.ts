import { existsSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import type { Config } from '../config.ts';
import { bootStack } from './boot.ts';
import { answeringStack, joinStack } from './join.ts';
import { lockHome } from './lock.ts';
import type { Stack, StackOptions } from './stack.ts';
import { StackError } from './stack-error.ts';

const BUSY_PATIENCE_MS = 60_000;
const BUSY_PULSE_MS = 200;

/**
 * The stack for a command: whatever is configured and, for the rest, the home's one embedded stack, joined or booted as `mode`
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
