import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { addressRefused, type ListenAddress } from './listen-address.ts';
import type { Metrics } from './metrics.ts';
import type { Readiness } from './readiness.ts';

interface Probes {
  /** False once the process was told to end. */
  isTaking(): boolean;
  readiness(): Promise<Readiness<string>>;
  /** What is wrong and makes nothing unready. */
  warnings(): Promise<string[]>;
  /** Updates the gauges. */
  refresh(): Promise<void>;
  metrics: Metrics;
}

/**
 * Answers `GET /healthz` (the process is alive), `/readyz` (200 or 503) and `/metrics`, without a token and so without anything
 * about a payout. Throws a `Problem` if it cannot listen on the address.
 */
export async function startProbeServer(
  { host, port }: ListenAddress,
  probes: Probes,
): Promise<{ port: number; close(): Promise<void> }> {
  const server = createServer((request, response) => {
    const path = request.method === 'GET' ? request.url?.replace(/\?.*$/, '') : undefined;
    void answer(path, response, probes).catch(() => send(response, 500, { error: 'no answer' }));
  });
  server.listen(port, host);
  await once(server, 'listening').catch((error: NodeJS.ErrnoException) => {
    throw addressRefused({ host, port }, error);
  });
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

async function answer(path: string | undefined, response: ServerResponse, probes: Probes): Promise<void> {
  switch (path) {
    case '/healthz':
      return send(response, 200, { status: 'ok' });
    case '/readyz': {
      if (!probes.isTaking()) return send(response, 503, { schemaVersion: 1, ready: false, draining: true });
      const [{ ready, parts }, warnings] = await Promise.all([probes.readiness(), probes.warnings()]);
      return send(response, ready ? 200 : 503, { schemaVersion: 1, ready, parts, warnings });
    }
    case '/metrics':
      return sendMetrics(response, probes);
    default:
      return send(response, 404, { error: 'GET /healthz, /readyz or /metrics' });
  }
}

async function sendMetrics(response: ServerResponse, { metrics, readiness, refresh }: Probes): Promise<void> {
  const [{ parts }] = await Promise.all([readiness(), refresh()]);
  for (const [part, state] of Object.entries(parts)) metrics.ready.set({ part }, state === 'up' ? 1 : 0);
  response.writeHead(200, { 'content-type': metrics.registry.contentType }).end(await metrics.registry.metrics());
}

function send(response: ServerResponse, status: number, document: object): void {
  const headers = { 'content-type': 'application/json', 'cache-control': 'no-store' };
  response.writeHead(status, headers).end(`${JSON.stringify(document)}\n`);
}
