import { ConfigError } from '../config/config-error.ts';
import type { Config } from '../config.ts';
import { takesConnections } from '../temporal/takes-connections.ts';
import { follow } from './followers.ts';
import { processMark } from './process-mark.ts';
import type { Stack, StackAddresses } from './stack.ts';
import { StackError } from './stack-error.ts';
import { readStackFile, type StackDescription } from './stack-file.ts';

/**
 * Joins the home's stack; undefined if none answers. The caller knows that some process holds the home's lock. Throws a
 * `ConfigError` if the stack serves another bank or Temporal than the configured one, and with `staying` a `StackError` if it
 * ends with the command that booted it.
 */
export async function joinStack(config: Config, { staying }: { staying: boolean }): Promise<Stack | undefined> {
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
