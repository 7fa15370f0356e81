import { join } from 'node:path';
import { makeHomePrivate } from '../platform/embedded/home.ts';
import { connectTemporal } from '../platform/temporal/connection.ts';
import { areRefused, ensureSearchAttributes } from '../platform/temporal/namespace.ts';
import { installRuntime } from '../platform/temporal/worker.ts';
import { pagesUrl } from '../reports/links.ts';
import { startSandbox } from '../sandbox/server.ts';
import { startWorker } from '../worker.ts';
import { gatewayOf, processLog } from './gateway.ts';
import { interruptSignal, untilStopped } from './interrupt.ts';
import type { Session } from './session.ts';

export async function dev(
  session: Session,
  ports: { temporalPort?: number; uiPort?: number; apiPort?: number; gatewayPort?: number },
): Promise<void> {
  const stopped = interruptSignal();
  const stack = await session.stack('serve', {
    ports: { temporal: ports.temporalPort, ui: ports.uiPort, api: ports.apiPort },
    startGateway: gatewayOf(session, { host: '127.0.0.1', port: ports.gatewayPort ?? 0 }, 'warn'),
  });
  const { temporalAddress, namespace, uiUrl, apiUrl, gatewayUrl } = stack;
  const pages = pagesUrl(session.config, gatewayUrl);
  const text = [
    `Temporal     ${temporalAddress}  (namespace ${namespace})`,
    `Temporal UI  ${uiUrl ?? ''}`,
    `Bank         ${apiUrl}`,
    `Gateway      ${gatewayUrl ?? ''}`,
    `Pages        ${pages ?? 'none: the policy names no origin for them, or tokens are set without a policy'}`,
    'Up until Ctrl-C. Other commands with this PAYOUTS_HOME use it.',
  ].join('\n');
  const shown = { temporalAddress, namespace, uiUrl, apiUrl, gatewayUrl, pagesUrl: pages ?? null, pid: process.pid };
  session.output.result({ stack: shown }, text);
  await untilStopped(stopped, stack.failure);
  session.leaveAtOnce = true;
}

/** `payouts worker`: one worker process; any number may run, on any machines. */
export async function worker(session: Session): Promise<void> {
  const { config } = session;
  const stopped = interruptSignal();
  const log = processLog(config, 'info');
  // With an embedded Temporal, a worker can only join the stack that is up: a booted stack would have its own worker.
  const stack = await session.stack(config.temporal.kind === 'embedded' ? 'join-only' : 'join-or-boot');
  const { connection, close } = await connectTemporal(config, stack);
  await ensureSearchAttributes(connection, stack.namespace)
    .catch((error: unknown) => {
      if (!areRefused(error)) throw error;
      log.warn({ error }, 'search attributes could not be checked');
    })
    .finally(close);
  installRuntime(log, config.metrics.temporal);
  const running = await startWorker(config, stack, log);
  session.output.say(`Worker on ${stack.temporalAddress}, namespace ${stack.namespace}, bank ${stack.apiUrl}`);
  try {
    await untilStopped(stopped, Promise.race([stack.failure, running.failure ?? new Promise<Error>(() => {})]));
  } finally {
    session.leaveAtOnce = true;
    await running.close();
  }
}

export async function sandbox(
  session: Session,
  options: { port?: number; host: string; file?: string },
): Promise<void> {
  const { config, output } = session;
  const stopped = interruptSignal();
  makeHomePrivate(config.home);
  const bank = await startSandbox({
    file: options.file ?? join(config.home, 'sandbox.sqlite'),
    host: options.host,
    port: options.port,
    apiKey: config.bank.key.reveal(),
    apiSecret: config.bank.secret.reveal(),
  });
  output.result({ apiUrl: bank.url }, `Sandbox bank at ${bank.url}`);
  try {
    await untilStopped(stopped, new Promise<Error>(() => {}));
  } finally {
    await bank.close();
  }
}
