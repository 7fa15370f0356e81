import { join } from 'node:path';
import { type GatewayAddresses, openGateway } from '../channels/http/gateway.ts';
import { tokenAccess } from '../channels/http/gateway-app.ts';
import { assertEncrypted, assertTokenIfReachable, type ListenOn } from '../channels/http/gateway-server.ts';
import type { Log } from '../domain/settings.ts';
import type { Config } from '../platform/config.ts';
import { makeHomePrivate } from '../platform/embedded/home.ts';
import { portTaken } from '../platform/embedded/ports.ts';
import { createLog } from '../platform/log.ts';
import { OpenedParts } from '../platform/opened-parts.ts';
import { connectTemporal } from '../platform/temporal/connection.ts';
import { areRefused, ensureSearchAttributes } from '../platform/temporal/namespace.ts';
import { installRuntime } from '../platform/temporal/worker-runtime.ts';
import { pagesUrl } from '../reports/links.ts';
import { startSandbox } from '../sandbox/start-sandbox.ts';
import { startWorker } from '../worker.ts';
import { interruptSignal, untilStopped } from './interrupt.ts';
import type { Session } from './session.ts';

export async function dev(
  session: Session,
  ports: { temporalPort?: number; uiPort?: number; apiPort?: number; gatewayPort?: number },
): Promise<void> {
  const stopped = interruptSignal();
  const stack = await session.stack('serve', {
    ports: { temporal: ports.temporalPort, ui: ports.uiPort, api: ports.apiPort },
    startGateway: gatewayOf(
      session,
      { host: '127.0.0.1', port: ports.gatewayPort ?? 0, portOption: '--gateway-port' },
      'warn',
    ),
  });
  const { temporalAddress, namespace, uiUrl, apiUrl, gatewayUrl } = stack;
  const pages = pagesUrl(session.config, gatewayUrl);
  const text = [
    `Temporal     ${temporalAddress}  (namespace ${namespace})`,
    `Temporal UI  ${uiUrl ?? ''}`,
    `Bank         ${apiUrl}`,
    `Gateway      ${gatewayUrl ?? ''}`,
    `Pages        ${pages ?? 'none: the policy names no origin for them, or tokens are set without a policy'}`,
    'Up until Ctrl-C. Other commands with this home use it.',
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
  }).catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'EADDRINUSE' ? portTaken(options.port ?? 0, '--port') : error;
  });
  output.result({ apiUrl: bank.url }, `Sandbox bank at ${bank.url}`);
  try {
    await untilStopped(stopped, new Promise<Error>(() => {}));
  } finally {
    await bank.close();
  }
}

/** How this session boots a stack with a gateway. `level`: that of its log if none is configured. */
export function gatewayOf({ config }: Session, listenOn: ListenOn, level: 'info' | 'warn') {
  const log = processLog(config, level);
  return (place: GatewayAddresses, free = 0) =>
    openGateway(config, place, { ...listenOn, port: listenOn.port || free }, log);
}

/** `payouts gateway`: the HTTP API, on the stack that is up, the configured one, or one of its own that it keeps up. */
export async function gateway(session: Session, listenOn: ListenOn): Promise<void> {
  const stopped = interruptSignal();
  assertTokenIfReachable(tokenAccess(session.config), listenOn.host);
  assertEncrypted(session.config.gateway, listenOn.host);
  const startGateway = gatewayOf(session, listenOn, 'info');
  const stack = await session.stack('join-or-boot', { startGateway, stays: true });
  await using own = new OpenedParts();
  const started = stack.owner ? undefined : own.adopt(await startGateway(stack), (it) => it.close());
  const url = started?.url ?? stack.gatewayUrl;
  const pages = pagesUrl(session.config, url);
  session.output.result(
    { gatewayUrl: url, pagesUrl: pages ?? null, pid: process.pid },
    [`Gateway ${url}  (${url}/docs)`, ...(pages === undefined ? [] : [`Pages ${pages}`]), 'Up until Ctrl-C.'].join(
      '\n',
    ),
  );
  await untilStopped(
    stopped,
    Promise.race([stack.failure, ...(started?.failure === undefined ? [] : [started.failure])]),
  );
  session.leaveAtOnce = true;
}

/** The log of a long-running process, at `level` if none is configured. Its first lines name settings that have no effect or open too much. */
export function processLog(
  { logLevel, unknownSettings, tooOpen }: Config,
  level: 'info' | 'warn',
  ...stream: [stream?: Parameters<typeof createLog>[1]]
): Log {
  const log = createLog(logLevel ?? level, ...stream);
  for (const sentence of [...unknownSettings, ...tooOpen]) log.warn(sentence);
  return log;
}
