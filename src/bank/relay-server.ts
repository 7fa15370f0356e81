import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { type BankOptions, splitBaseUrl } from './client.ts';
import { RELAY_READY, relayServerTls } from './relay-transport.ts';
import { createTokenSource } from './token.ts';
import { createTransport, type HttpAnswer } from './transport.ts';

/** As the client of the bank that asks through it. */
const LIMITS = { connectMs: 5_000, bodyBytesMax: 1024 * 1024 };
const READ_MS = 10_000;
const CONNECTIONS_MAX = 256;
/** What an answer says besides its body, as far as a client of the bank reads it. */
const PASSED_ON = ['content-type', 'date', 'age', 'retry-after'];

type Access = Pick<BankOptions, 'baseUrl' | 'apiKey' | 'apiSecret' | 'auth' | 'proxy'>;

/**
 * Lets processes that hold `key`, and no key of the bank, read from the bank at `baseUrl`: passes on GETs of its resources with a
 * token of its own, and nothing else. By the interface (section 4) no GET changes anything. Throws the error of `listen`.
 */
export async function startReadsRelay(
  { host, port }: { host: string; port: number },
  { key, ...bank }: Access & { key: Buffer },
): Promise<{ port: number; close(): Promise<void> }> {
  const reads = readsOf(bank);
  const server = createServer(relayServerTls(key), (request, response) => {
    void answer(reads, request, response).catch(() => response.writeHead(502).end());
  });
  server.maxConnections = CONNECTIONS_MAX;
  server.listen(port, host);
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await Promise.all([closed, reads.close()]);
    },
  };
}

type Reads = ReturnType<typeof readsOf>;

function readsOf({ baseUrl, auth, proxy, ...access }: Access) {
  const { origin, basePath } = splitBaseUrl(baseUrl);
  const transport = createTransport(origin, LIMITS, { proxy });
  const clock = () => performance.now();
  const tokens = createTokenSource({ ...auth, ...access, transport, clock, limitMs: READ_MS, basePath });
  const ask = async (target: string, signal: AbortSignal): Promise<HttpAnswer> => {
    const token = await tokens.get(signal);
    // As the client of the bank sends them (`calls.ts`).
    const own = { 'content-type': 'application/json', 'cache-control': 'no-cache' };
    const headers = { ...own, authorization: token.authorization };
    const answer = await transport.exchange({ method: 'GET', target, headers, signal });
    if (answer.status === 401 || answer.status === 403) tokens.invalidate(token);
    return answer;
  };
  return {
    /** A resource of the interface, and not its token. */
    isResource(target: string): boolean {
      const { pathname } = new URL(target, origin);
      return (
        pathname === target.replace(/\?.*$/s, '') &&
        pathname.startsWith(`${basePath}/v1/`) &&
        pathname !== `${basePath}/v1/auth`
      );
    },
    ready: (signal: AbortSignal) => tokens.get(signal),
    ask,
    close: () => transport.close(),
  };
}

async function answer(
  reads: Reads,
  { method, url: target = '' }: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const signal = AbortSignal.timeout(READ_MS);
  if (method !== 'GET') return void response.writeHead(405).end();
  if (target === RELAY_READY) {
    await reads.ready(signal);
    return void response.writeHead(204).end();
  }
  if (!reads.isResource(target)) return void response.writeHead(404).end();
  const { status, headers, body = '' } = await reads.ask(target, signal);
  const passed = Object.fromEntries(
    PASSED_ON.flatMap((name) => (headers[name] === undefined ? [] : [[name, headers[name]]])),
  );
  response.writeHead(status, passed).end(body);
}
