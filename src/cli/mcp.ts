import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { harmless, mcpServer } from '../channels/mcp/mcp-server.ts';
import { Problem } from '../domain/problem.ts';
import { answeringStack } from '../platform/embedded/open-stack.ts';
import { interruptSignal, untilStopped } from './interrupt.ts';
import type { Session } from './session.ts';

/** `payouts mcp`: the Model Context Protocol on stdin and stdout, by requests to a gateway. Ends with its client. */
export async function mcp(session: Session): Promise<void> {
  const stopped = interruptSignal();
  const url = await gatewayUrl(session);
  const place = { api: session.gatewayAt(url, harmless(fetch)), pages: url };
  const proposes = session.config.gateway.mcp === 'propose';
  const left = new AbortController();
  process.stdin.once('close', () => left.abort()).once('end', () => left.abort());
  const server = serveStdio(() => mcpServer(place, { proposes }));
  await untilStopped(AbortSignal.any([stopped, left.signal]), new Promise<Error>(() => {}));
  await server.close();
}

/** That of PAYOUTS_GATEWAY_URL, else of the stack of this home. Throws a `Problem` without one. */
async function gatewayUrl({ config }: Session): Promise<string> {
  const url = config.gateway.url ?? (await answeringStack(config.home))?.gatewayUrl;
  if (url !== undefined && url !== null) return url;
  throw new Problem('usage', 'no-gateway', 'There is no gateway to read from.', {
    hint: 'Set PAYOUTS_GATEWAY_URL, or start `payouts dev` in another terminal.',
  });
}
