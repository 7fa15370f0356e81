import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { causeInWords, SIDES, type SideName } from '../../domain/causes.ts';
import type { Log } from '../../domain/settings.ts';
import type { Notice } from '../open-bank.ts';
import { addressRefused, type ListenAddress } from './listen-address.ts';
import type { Metrics } from './metrics.ts';

/** A part that does not answer within this time is down. */
const PATIENCE_MS = 3_000;
/** How long an answer is reused. */
const FRESH_MS = 2_000;

/** Each rejects while its part is unusable. */
export type ReadinessProbes<Part extends string> = Readonly<Record<Part, () => Promise<unknown>>>;

export interface Readiness<Part extends string> {
  ready: boolean;
  parts: Readonly<Record<Part, 'up' | 'down'>>;
  /** A sentence for each part that is down, where the cause is known. */
  causes: readonly string[];
}

/** Checks every part; the result is shared and reused for `freshMs`, however often it is asked for. */
export function readinessOf<Part extends string>(
  parts: ReadinessProbes<Part>,
  { log, now, freshMs = FRESH_MS }: { log: Log; now: () => number; freshMs?: number },
): () => Promise<Readiness<Part>> {
  const names = Object.keys(parts) as Part[];
  const probeAll = async (): Promise<Readiness<Part>> => {
    const shown = await Promise.all(names.map(async (name) => ({ name, ...(await stateOf(name, parts[name], log)) })));
    return {
      ready: shown.every(({ state }) => state === 'up'),
      parts: Object.fromEntries(shown.map(({ name, state }) => [name, state])) as Readiness<Part>['parts'],
      causes: shown.flatMap(({ cause }) => cause ?? []),
    };
  };
  let asked: { at: number; answer: Promise<Readiness<Part>> } | undefined;
  return () => {
    if (asked === undefined || now() - asked.at > freshMs) asked = { at: now(), answer: probeAll() };
    return asked.answer;
  };
}

interface State {
  state: 'up' | 'down';
  cause?: string | undefined;
}

async function stateOf(part: string, ask: () => Promise<unknown>, log: Log): Promise<State> {
  try {
    const late = pause(PATIENCE_MS, undefined, { ref: false }).then(() =>
      Promise.reject(new Error('no answer in time')),
    );
    await Promise.race([ask(), late]);
    return { state: 'up' };
  } catch (error) {
    const reported = part in SIDES ? causeInWords(error, part as SideName) : undefined;
    log.warn({ error, part, cause: reported?.message, remedy: reported?.hint }, 'a part is down');
    return { state: 'down', cause: reported?.message };
  }
}

interface Probes {
  /** False once the process was asked to end. */
  isTaking(): boolean;
  readiness(): Promise<Readiness<string>>;
  /** What is wrong and makes nothing unready. */
  notices(): Promise<readonly Notice[]>;
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
      const [readiness, notices] = await Promise.all([probes.readiness(), probes.notices()]);
      return send(response, readiness.ready ? 200 : 503, readinessDocument(readiness, notices));
    }
    case '/metrics':
      return sendMetrics(response, probes);
    default:
      return send(response, 404, { error: 'GET /healthz, /readyz or /metrics' });
  }
}

/** Parts that this process can use but that nobody is answered by are down too, and make nothing unready. */
export const readinessDocument = (
  { ready, parts, causes }: Readiness<string>,
  notices: readonly Notice[],
): { schemaVersion: 1; ready: boolean; parts: Readiness<string>['parts']; warnings: string[] } => ({
  schemaVersion: 1,
  ready,
  parts: partsWith(parts, notices),
  warnings: [...causes, ...notices.map(({ text }) => text)],
});

const partsWith = (parts: Readiness<string>['parts'], notices: readonly Notice[]): Readiness<string>['parts'] => ({
  ...parts,
  ...Object.fromEntries(notices.flatMap(({ part }) => (part === undefined ? [] : [[part, 'down'] as const]))),
});

async function sendMetrics(response: ServerResponse, { metrics, readiness, notices, refresh }: Probes): Promise<void> {
  const [{ parts }, noticed] = await Promise.all([readiness(), notices(), refresh()]);
  for (const [part, state] of Object.entries(partsWith({ workers: 'up', ...parts }, noticed)))
    metrics.ready.set({ part }, state === 'up' ? 1 : 0);
  response.writeHead(200, { 'content-type': metrics.registry.contentType }).end(await metrics.registry.metrics());
}

function send(response: ServerResponse, status: number, document: object): void {
  const headers = { 'content-type': 'application/json', 'cache-control': 'no-store' };
  response.writeHead(status, headers).end(`${JSON.stringify(document)}\n`);
}
