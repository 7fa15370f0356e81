import { isIP } from 'node:net';
import type { SecureContextOptions } from 'node:tls';
import type { FastifyInstance } from 'fastify';
import { ConfigError } from '../config/config-error.ts';
import type { Secret } from '../config/secret.ts';
import { leadsHere } from '../domain/loopback.ts';
import { Problem } from '../domain/problem.ts';
import { ipList } from '../webhooks/ip-list.ts';

/** How requests come to a gateway. */
export interface GatewayTransport {
  /** Certificates and their key as PEM; undefined: plain HTTP. */
  tls: { cert: string; key: Secret } | undefined;
  /** Addresses and networks of proxies that speak TLS before a gateway of plain HTTP. */
  proxies: readonly string[];
}

export const PLAIN: GatewayTransport = { tls: undefined, proxies: [] };

/** Throws a `ConfigError` for an address where tokens and payees of other machines would come in clear text. */
export function assertSealed({ tls, proxies }: { tls: unknown; proxies: readonly string[] }, host: string): void {
  if (tls !== undefined || proxies.length > 0 || leadsHere(`http://${host.includes(':') ? `[${host}]` : host}`)) return;
  throw new ConfigError(
    'PAYOUTS_GATEWAY_TLS_CERT',
    'is not set, but other machines would send tokens and payees to the gateway in clear text',
    'Set it with PAYOUTS_GATEWAY_TLS_KEY, or PAYOUTS_GATEWAY_TRUSTED_PROXY to the addresses of a proxy that speaks TLS.',
  );
}

/** Options of a server that speaks TLS; null for plain HTTP. */
export const httpsOptions = ({ tls }: GatewayTransport): SecureContextOptions | null =>
  tls === undefined ? null : { cert: tls.cert, key: tls.key.reveal(), minVersion: 'TLSv1.2' };

/** Where proxies are declared, nobody else is answered over plain HTTP but this machine. */
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
    /** Of whoever asks: that of the connection, or behind a declared proxy the one that the proxy names. */
    address: string;
  }
}

/** Tells visitors behind a proxy apart, so that one of them does not use up what all have. It proves nothing: see `answerProxiesOnly`. */
export function tellAddresses(app: FastifyInstance, { tls, proxies }: GatewayTransport): void {
  const isProxy = ipList(tls === undefined ? proxies : []);
  app.decorateRequest('address', '');
  app.addHook('onRequest', async (request) => {
    const { socket, headers } = request.raw;
    const from = socket.remoteAddress ?? '';
    // Each proxy adds whom it has heard of at the end; what stands before the last of ours may be anybody's.
    const named = [headers['x-forwarded-for'] ?? []].flat().join(',').split(',');
    const hops = [...named.map((hop) => hop.trim()).filter((hop) => isIP(hop) !== 0), from];
    request.address = hops.findLast((hop) => !isProxy(hop)) ?? from;
  });
}
