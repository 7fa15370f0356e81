import type { TlsOptions } from 'node:tls';
import type { TokenSource } from './token.ts';
import { createTransport, HttpFailure, type Transport, type TransportLimits } from './transport.ts';

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

/** Workers that pass on reads, as HOST:PORT, and the key that they and this process hold (32 bytes). */
export interface RelayOptions {
  hosts: readonly string[];
  key: Buffer;
}

/** Carries reads through the first worker that answers; a write is refused before anything leaves. */
export function relayTransport({ hosts, key }: RelayOptions, limits: TransportLimits): Transport {
  const relays = hosts.map((host) => createTransport(`https://${host}`, limits, { tls: relayClientTls(key) }));
  let last = 0;
  return {
    async exchange(request) {
      if (request.method !== 'GET') throw new HttpFailure('this process only reads from the bank', false);
      let failure: unknown;
      for (const at of [...relays.keys()].map((step) => (last + step) % relays.length)) {
        try {
          const answer = await relays[at]?.exchange(request);
          last = at;
          if (answer !== undefined) return answer;
        } catch (error) {
          failure = error;
          if (request.signal.aborted) break;
        }
      }
      throw failure;
    },
    close: async () => void (await Promise.all(relays.map((relay) => relay.close()))),
  };
}

/** Where the worker adds the token. */
export const NO_TOKEN: TokenSource = {
  get: async () => ({ authorization: '', isNearEnd: () => false }),
  invalidate() {},
  invalidateCurrent() {},
};

/** Answered by a worker that has a token of the bank. */
export const RELAY_READY = '/readyz';
