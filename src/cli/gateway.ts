import type { GatewayAddresses } from '../channels/http/gateway.ts';
import { openGateway } from '../channels/http/gateway.ts';
import { tokenAccess } from '../channels/http/gateway-app.ts';
import { assertEncrypted, assertTokenIfReachable, type ListenOn } from '../channels/http/server.ts';
import type { Log } from '../domain/settings.ts';
import type { Config } from '../platform/config.ts';
import { createLog } from '../platform/log.ts';
import { OpenedParts } from '../platform/opened-parts.ts';
import { pagesUrl } from '../reports/links.ts';
import { interruptSignal, untilStopped } from './interrupt.ts';
import type { Session } from './session.ts';

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
