import type { ServerOptions as HttpOptions } from 'node:http';
import type { ServerOptions as HttpsOptions } from 'node:https';
import { isIP } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { ipList } from '../../bank/webhooks/verifier.ts';
import { leadsHere } from '../../domain/loopback.ts';
import { Problem } from '../../domain/problem.ts';
import type { Secret } from '../../platform/config/key.ts';
import { ConfigError } from '../../platform/config/key.ts';

export interface GatewayTransport {
  /** Certificate chain and key in PEM; undefined: plain HTTP. */
  tls: { cert: string; key: Secret } | undefined;
  /** Addresses and networks of proxies that terminate TLS in front of a gateway of plain HTTP. */
  proxies: readonly string[];
}

export const PLAIN: GatewayTransport = { tls: undefined, proxies: [] };

/** Throws a `ConfigError` if other machines would send tokens and payees in clear text. */
export function assertEncrypted({ tls, proxies }: { tls: unknown; proxies: readonly string[] }, host: string): void {
  if (tls !== undefined || proxies.length > 0 || leadsHere(addressOf(host))) return;
  throw new ConfigError(
    'PAYOUTS_GATEWAY_TLS_CERT',
    'is not set, but other machines would send tokens and payees to the gateway in clear text',
    'Set it with PAYOUTS_GATEWAY_TLS_KEY, or PAYOUTS_GATEWAY_TRUSTED_PROXY to the addresses of a proxy that speaks TLS.',
  );
}

export const addressOf = (host: string, scheme = 'http'): string =>
  `${scheme}://${host.includes(':') ? `[${host}]` : host}`;

const HEADERS_MS = 10_000;

/** A connection without a complete request head is closed after 10 to 15 seconds. */
const SLOW_CLIENTS = { headersTimeout: HEADERS_MS, connectionsCheckingInterval: HEADERS_MS / 2 };

/** Options of the server; `https` is null for plain HTTP. */
export function serverOptions({ tls }: GatewayTransport): { http: HttpOptions; https: HttpsOptions | null } {
  if (tls === undefined) return { http: SLOW_CLIENTS, https: null };
  const encrypted = {
    cert: tls.cert,
    key: tls.key.reveal(),
    minVersion: 'TLSv1.2',
    handshakeTimeout: HEADERS_MS,
  } as const;
  return { http: {}, https: { ...encrypted, ...SLOW_CLIENTS } };
}

/** If proxies are configured, only they and this machine are answered over plain HTTP. */
export function answerProxiesOnly(app: FastifyInstance, { tls, proxies }: GatewayTransport): void {
  if (tls !== undefined || proxies.length === 0) return;
  const isKnown = ipList([...proxies, '127.0.0.0/8', '::1']);
  app.addHook('onRequest', async ({ raw }) => {
    if (isKnown(raw.socket.remoteAddress ?? '')) return;
    throw new Problem('forbidden', 'not-through-proxy', 'This gateway accepts requests only through its proxy.', {
      hint: 'Use the https address of the proxy, or add this one to PAYOUTS_GATEWAY_TRUSTED_PROXY.',
    });
  });
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Address of the client: that of the connection or, behind a configured proxy, the one the proxy gives. */
    address: string;
  }
}

/**
 * Distinguishes clients behind a proxy, so that one of them cannot use up the limits of all. It is no proof of identity: see
 * `answerProxiesOnly`.
 */
export function identifyClients(app: FastifyInstance, { tls, proxies }: GatewayTransport): void {
  const isProxy = ipList(tls === undefined ? proxies : []);
  app.decorateRequest('address', '');
  app.addHook('onRequest', async (request) => {
    const { socket, headers } = request.raw;
    const from = socket.remoteAddress ?? '';
    // Each proxy appends the address it was called from; anything before the entries of our proxies may be forged.
    const named = [headers['x-forwarded-for'] ?? []].flat().join(',').split(',');
    const hops = [...named.map((hop) => hop.trim()).filter((hop) => isIP(hop) !== 0), from];
    request.address = hops.findLast((hop) => !isProxy(hop)) ?? from;
  });
}
