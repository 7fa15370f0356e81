import { relayClientTls } from './relay-tls.ts';
import type { TokenSource } from './token.ts';
import { createTransport, HttpFailure, type Transport, type TransportLimits } from './transport.ts';

/** Workers that pass on reads, as HOST:PORT, and the key that they and this process hold (32 bytes). */
export interface RelayOptions {
  hosts: readonly string[];
  key: Buffer;
}

/** Carries reads through the first worker that answers; a write is refused before anything leaves. */
export function relayTransport({ hosts, key }: RelayOptions, limits: TransportLimits): Transport {
  const relays = hosts.map((host) => createTransport(`https://${host}`, limits, relayClientTls(key)));
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
