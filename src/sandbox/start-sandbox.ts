import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { WebhookSender } from './acquirer/webhook-sender.ts';
import { type Conservation, checkConservation } from './bank/ledger.ts';
import { type BooksOptions, openBooks } from './bank/open-books.ts';
import { FaultScript, LateCommits } from './faults/faults.ts';
import { serve } from './http/serve.ts';
import type { Sandbox } from './sandbox.ts';
import { PostLog, SandboxClock, Seals, tokensOf } from './sandbox.ts';

/** Key and secret that every sandbox accepts by default. Public, so they are refused for any other bank (src/platform/config.ts). */
export const SANDBOX_KEY = 'sandbox-key';
export const SANDBOX_SECRET = 'sandbox-secret';

export interface SandboxOptions extends BooksOptions {
  host?: string;
  port?: number;
  /** Epoch milliseconds. */
  now?: () => number;
  apiKey?: string;
  apiSecret?: string;
  tokenLifeSeconds?: number;
  /** Enables `/__sandbox/...`, for loopback peers. */
  allowTestRoutes?: boolean;
}

export interface RunningSandbox {
  /** Base URL without a trailing slash. */
  url: string;
  clock: SandboxClock;
  checkConservation(): Conservation;
  close(): Promise<void>;
}

/** Clients cannot connect to a wildcard address. */
const ANYWHERE: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '[::1]' };

/** Longer than any client keeps idle connections: the sandbox never closes one while a request is on its way. */
const KEEP_ALIVE_MS = 75_000;

const REOPEN_MS = 100;

/** Starts the other side of the interface: bank and card acquirer. Rejects if the file or the port is unavailable. */
export async function startSandbox(options: SandboxOptions): Promise<RunningSandbox> {
  const clock = new SandboxClock(options.now);
  const books = openBooks(options, clock.now);
  const apiSecret = options.apiSecret ?? SANDBOX_SECRET;
  const tokens = tokensOf({
    apiKey: options.apiKey ?? SANDBOX_KEY,
    apiSecret,
    lifeSeconds: options.tokenLifeSeconds ?? 1_800,
    now: clock.now,
  });
  const host = options.host ?? '127.0.0.1';
  let reopening: NodeJS.Timeout | undefined;
  const refuseConnections = (ms: number): void => {
    clearTimeout(reopening);
    // Only the port and idle connections are closed; requests being answered continue.
    if (server.listening) server.close();
    // An earlier outage may have ended in between: it looks up the host before it listens.
    reopening = setTimeout(() => server.listening || server.listen(port, host), ms);
  };
  const sandbox: Sandbox = {
    books,
    clock,
    tokens,
    apiSecret,
    faults: new FaultScript(),
    faultPlan: undefined,
    lateCommits: new LateCommits(),
    posts: new PostLog(),
    seals: new Seals(),
    webhooks: new WebhookSender(() => sandbox),
    allowTestRoutes: options.allowTestRoutes ?? true,
    baseUrl: () => `http://${ANYWHERE[host] ?? (host.includes(':') ? `[${host}]` : host)}:${port}`,
    refuseConnections,
  };
  const server = createServer(
    { keepAliveTimeout: KEEP_ALIVE_MS },
    (request, response) => void serve(sandbox, request, response),
  );
  try {
    await new Promise<void>((resolve, reject) => server.once('error', reject).listen(options.port ?? 0, host, resolve));
  } catch (error) {
    books.db.close();
    throw error;
  }
  const { port } = server.address() as AddressInfo;
  // After an outage: while the port was free, any process may have taken it.
  server.on('error', () => refuseConnections(REOPEN_MS));
  clock.onAdvance(() => sandbox.webhooks.wake());
  // For webhooks and steps left over from an earlier start.
  sandbox.webhooks.wake();
  let closed: Promise<void> | undefined;
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${port}`,
    clock,
    checkConservation: () => checkConservation(books.db),
    close() {
      clearTimeout(reopening);
      closed ??= Promise.all([
        new Promise<void>((resolve) => server.close(() => resolve())),
        sandbox.webhooks.stop(),
      ]).then(() => books.db.close());
      server.closeAllConnections();
      return closed;
    },
  };
}
