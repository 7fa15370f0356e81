import type { TlsOptions } from 'node:tls';

/**
 * TLS by a key that both sides hold (RFC 8446, 2.2): each side proves to the other that it has the key, so there are no
 * certificates, and none is accepted.
 */
const IDENTITY = 'payouts-bank-reads';

export const relayServerTls = (key: Buffer): TlsOptions => ({
  minVersion: 'TLSv1.3',
  pskCallback: (_socket, identity) => (identity === IDENTITY ? key : null),
});

export const relayClientTls = (key: Buffer) => ({
  minVersion: 'TLSv1.3' as const,
  pskCallback: () => ({ psk: key, identity: IDENTITY }),
  // A server that shows a certificate instead would be believed by the authorities that Node trusts.
  ca: [],
  checkServerIdentity: (_host: string, { raw }: { raw?: Buffer }) =>
    raw === undefined ? undefined : new Error('a certificate instead of the key'),
  maxCachedSessions: 0,
});
