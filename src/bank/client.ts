import { leadsHere } from '../domain/loopback.ts';
import type { Bank } from './bank.ts';
import { measured } from './bank-clock.ts';
import { type CallsOptions, createCalls } from './calls.ts';
import { cardFields } from './cards/card-fields.ts';
import { sleep, withDeadline } from './deadline.ts';
import { NotSentError } from './errors.ts';
import type { HttpProxy } from './proxy.ts';
import { NO_TOKEN, RELAY_READY, type RelayOptions, relayTransport } from './relay-transport.ts';
import {
  accountsResource,
  beneficiariesResource,
  cardsResource,
  ordersResource,
  transactionsResource,
} from './resources.ts';
import { type AuthOptions, createTokenSource } from './token.ts';
import { createTransport, type HttpFailure, type Transport, type TransportLimits } from './transport.ts';

interface BankLimits {
  /** Total time of a read with all its attempts; default 20 s. One attempt takes at most half of it. */
  readTotalMs?: number;
  /** Total time of a write, including a token if it needs one; default 30 s. */
  sendTotalMs?: number;
  /** Time for DNS, TCP and TLS; default 5 s. */
  connectMs?: number;
  /** Largest answer body; default 1 MiB. */
  bodyBytesMax?: number;
}

export interface BankOptions {
  /** `https://host[:port][/path]`. */
  baseUrl: string;
  apiKey: string;
  apiSecret: string;
  auth?: AuthOptions;
  /** Whether a 401 or 403 on a write proves that nothing was executed (`not-sent`); default true. False: `ambiguous`. */
  authBeforeExecution?: boolean;
  /** Names of card fields on the wire (`card-fields.ts`); default: our own. */
  cardFields?: Readonly<Record<string, string>>;
  /** HTTP statuses of a card POST which, without a known code and a payment, prove that nothing was taken; default none. */
  cardRefusalStatuses?: readonly number[];
  /** Hosts allowed in a `verify_url`; default any. */
  cardVerifyHosts?: readonly string[];
  limits?: BankLimits;
  /** Monotonic milliseconds; default `performance.now`. */
  clock?: () => number;
  /** Our wall clock, epoch milliseconds, with which the bank's is compared; default `Date.now`. */
  wallClock?: () => number;
  /** Pause between attempts of a read. */
  sleep?: CallsOptions['sleep'];
  /** Observes every call, for metrics and traces. */
  onCall?: CallsOptions['onCall'];
  /** Admits each call; default: at once. */
  admission?: CallsOptions['admission'];
  /** Workers through which everything is read, with neither API key nor writes; default: none, the bank itself is asked. */
  relay?: RelayOptions | undefined;
  /** Through which the bank is reached; default: directly. Workers always are. */
  proxy?: HttpProxy | undefined;
  /** Carries the requests; default: HTTP to `baseUrl`. */
  transport?: Transport;
}

/** Client of the bank at `baseUrl`. Throws a TypeError for an unusable base URL or token template. */
export function createBank(options: BankOptions): Bank {
  const { origin, basePath } = splitBaseUrl(options.baseUrl);
  const {
    readTotalMs = 20_000,
    sendTotalMs = 30_000,
    connectMs = 5_000,
    bodyBytesMax = 1024 * 1024,
  } = options.limits ?? {};
  const readAttemptMs = readTotalMs / 2;
  const clock = options.clock ?? (() => performance.now());
  const { relay } = options;
  const carrier = options.transport ?? transportOf(origin, options, { connectMs, bodyBytesMax });
  const { transport, clock: bankClock } = measured(carrier, { clock, now: options.wallClock ?? Date.now });
  const { apiKey, apiSecret } = options;
  const access = { ...options.auth, apiKey, apiSecret, transport, clock, limitMs: readAttemptMs, basePath };
  const tokens = relay === undefined ? createTokenSource(access) : NO_TOKEN;
  const calls = createCalls({
    transport,
    tokens,
    basePath,
    limits: { readTotalMs, readAttemptMs, sendTotalMs },
    authBeforeExecution: options.authBeforeExecution ?? true,
    clock,
    sleep: options.sleep ?? sleep,
    onCall: options.onCall,
    admission: options.admission,
  });
  const baseUrl = origin + basePath;
  return {
    baseUrl,
    clock: bankClock,
    accounts: accountsResource(calls),
    beneficiaries: beneficiariesResource(calls),
    transactions: transactionsResource(calls),
    orders: ordersResource(calls),
    cards: cardsResource(calls, {
      fields: cardFields(options.cardFields),
      refusalStatuses: new Set(options.cardRefusalStatuses),
      verifyUrls: { hosts: options.cardVerifyHosts, onThisMachine: leadsHere(origin) },
    }),
    authenticate: async ({ force = false } = {}) => {
      if (relay !== undefined) return assertRelays(transport, readAttemptMs);
      if (force) tokens.invalidateCurrent();
      await tokens.get(new AbortController().signal);
    },
    close: () => transport.close(),
  };
}

const transportOf = (origin: string, { relay, proxy }: BankOptions, limits: TransportLimits) =>
  relay === undefined ? createTransport(origin, limits, { proxy }) : relayTransport(relay, limits);

/** Throws a `BankError` unless a worker answers that has a token of the bank. */
async function assertRelays(transport: Transport, limitMs: number): Promise<void> {
  const details = { outcome: 'not-sent', retryable: true, operation: `GET ${RELAY_READY}` } as const;
  const asked = { method: 'GET', target: RELAY_READY, headers: {} } as const;
  const { status } = await withDeadline(limitMs, undefined, (signal) => transport.exchange({ ...asked, signal })).catch(
    ({ message }: HttpFailure) => {
      throw new NotSentError(`no worker lets this process read from the bank: ${message}`, details);
    },
  );
  if (status >= 300) throw new NotSentError('the workers get no token of the bank', details);
}

/** Throws a TypeError for an unusable base URL. */
export function splitBaseUrl(baseUrl: string): { origin: string; basePath: string } {
  const url = URL.parse(baseUrl);
  if (url === null || !/^https?:$/.test(url.protocol)) throw new TypeError('the base URL is not an http(s) address');
  if (url.username || url.password || url.search || url.hash) {
    throw new TypeError('the base URL contains credentials, a query or a fragment');
  }
  return { origin: url.origin, basePath: url.pathname.replace(/\/+$/, '') };
}
