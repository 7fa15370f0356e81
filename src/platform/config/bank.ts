import { type HttpProxy, isDirect, proxyAt } from '../../bank/proxy.ts';
import { isLoopback } from '../../domain/loopback.ts';
import { ConfigError, type Environment, key, Secret, type ValuesOf } from './key.ts';
import { count, flag, hostsWithPort, httpUrl, jsonObject, listenAddress, oneOf, readsKey, text } from './values.ts';

/** How the bank is reached. Settings marked (api-gaps) supply what the interface does not show. */
export const BANK_KEYS = {
  PAYOUTS_API_URL: key(httpUrl, null, 'base URL of the bank; absent: the embedded sandbox'),
  PAYOUTS_API_KEY: key(text, 'sandbox-key', 'API key; the default works on this machine only'),
  PAYOUTS_API_SECRET: key(text, 'sandbox-secret', 'API secret; the default works on this machine only'),
  PAYOUTS_ALLOW_HTTP: key(
    flag,
    'false',
    'allow http:// to another machine, which sends the key and payees in clear text',
  ),
  PAYOUTS_AUTH_METHOD: key(oneOf('POST', 'GET'), 'POST', 'method of the token request (api-gaps)'),
  PAYOUTS_AUTH_BODY: key(
    jsonObject,
    '{"api_key":"{key}","api_secret":"{secret}"}',
    'JSON template of the token request; with GET its members are sent as headers (api-gaps)',
  ),
  PAYOUTS_AUTH_TOKEN_FIELD: key(
    text,
    null,
    'member of the answer that contains the token; absent: access_token, token (api-gaps)',
  ),
  PAYOUTS_AUTH_PREFIX: key(text, '', 'word before the token in the Authorization header (api-gaps)'),
  PAYOUTS_AUTH_BEFORE_EXECUTION: key(
    flag,
    'true',
    'a 401 or 403 on a write proves that nothing was executed; false: it is ambiguous (api-gaps)',
  ),
  PAYOUTS_API_RATE: key(
    count(1, 100_000),
    '300',
    'calls of the bank a second, of all users and all processes over one store, token requests aside (api-gaps)',
  ),
  PAYOUTS_API_RATE_PER_USER: key(count(1, 100_000), '100', 'calls of the bank a second for one user (api-gaps)'),
  PAYOUTS_PROXY: key(
    text,
    null,
    'HTTP proxy to the bank, the provider of payee checks and receivers of events: http://[NAME:PASSWORD@]HOST:PORT, or `environment`, as HTTPS_PROXY and HTTP_PROXY say; never to hosts in NO_PROXY; absent: no proxy, whatever the environment says',
  ),
  PAYOUTS_BANK_READS_KEY: key(
    readsKey,
    null,
    '32 random bytes in base64, the same for workers and gateways: with it a gateway reads from the bank through workers, and needs no API key',
  ),
  PAYOUTS_BANK_READS_ADDRESS: key(
    listenAddress,
    null,
    'where a worker lets gateways read from the bank: PORT on this machine, or ADDRESS:PORT; absent: nowhere',
  ),
  PAYOUTS_BANK_READS_FROM: key(
    hostsWithPort,
    null,
    'workers through which this process reads from the bank, as HOST:PORT, comma-separated; absent: it has an API key itself',
  ),
} as const;

type BankValues = ValuesOf<typeof BANK_KEYS>;

const SANDBOX_KEY = 'sandbox-key';
const SANDBOX_SECRET = 'sandbox-secret';

export type BankConfig = ReturnType<typeof bankOf>;

/** How the store distinguishes banks: a sandbox's port changes, its books do not. */
export const bankIdentity = ({ bank }: { bank: BankConfig }): string =>
  bank.kind === 'sandbox' ? 'sandbox' : bank.url;

export function bankOf(values: BankValues) {
  const { PAYOUTS_API_URL: url, PAYOUTS_API_KEY: key, PAYOUTS_API_SECRET: secret } = values;
  const reads = readsOf(values);
  const isHeader = (value: unknown) => typeof value === 'string';
  if (values.PAYOUTS_AUTH_METHOD === 'GET' && !Object.values(values.PAYOUTS_AUTH_BODY).every(isHeader)) {
    throw new ConfigError(
      'PAYOUTS_AUTH_BODY',
      'has a member that is no text',
      'With GET each member is sent as a header.',
    );
  }
  const access = {
    key: new Secret(key),
    secret: new Secret(secret),
    /** How a token is requested: what interface section 5 does not show. `body`: a JSON template with `{key}` and `{secret}`. */
    auth: {
      method: values.PAYOUTS_AUTH_METHOD,
      body: JSON.stringify(values.PAYOUTS_AUTH_BODY),
      tokenField: values.PAYOUTS_AUTH_TOKEN_FIELD,
      prefix: values.PAYOUTS_AUTH_PREFIX,
    },
    authBeforeExecution: values.PAYOUTS_AUTH_BEFORE_EXECUTION,
    /** For all users together, and for each user. */
    callsPerSecond: { all: values.PAYOUTS_API_RATE, user: values.PAYOUTS_API_RATE_PER_USER },
  };
  if (url === undefined) return { kind: 'sandbox', ...access, relay: undefined, relayAt: undefined } as const;
  if (!isLoopback(new URL(url).hostname) && reads.relay === undefined) assertSafeElsewhere(url, values);
  return { kind: 'remote', url, ...access, ...reads } as const;
}

/**
 * `relay`: the workers through which this process reads from the bank, without a key of its own; it can send nothing. `relayAt`:
 * where this worker lets others read.
 */
function readsOf(values: BankValues) {
  const { PAYOUTS_BANK_READS_KEY: key, PAYOUTS_BANK_READS_ADDRESS: at, PAYOUTS_BANK_READS_FROM: hosts } = values;
  const name = hosts === undefined ? 'PAYOUTS_BANK_READS_ADDRESS' : 'PAYOUTS_BANK_READS_FROM';
  if (key === undefined && (at !== undefined || hosts !== undefined)) {
    throw new ConfigError(
      name,
      'is set without a key',
      'Set PAYOUTS_BANK_READS_KEY_FILE, the same for workers and gateways.',
    );
  }
  if (hosts !== undefined && !hasDefaultKey(values)) {
    throw new ConfigError(
      'PAYOUTS_API_KEY',
      'is set together with PAYOUTS_BANK_READS_FROM, with which this process needs no key of the bank',
      'Unset PAYOUTS_API_KEY and PAYOUTS_API_SECRET; only a gateway that takes cards, and every worker, needs them.',
    );
  }
  return {
    relay: key === undefined || hosts === undefined ? undefined : { hosts, key: new Secret(key) },
    relayAt: key === undefined || at === undefined ? undefined : { ...at, key: new Secret(key) },
  };
}

const hasDefaultKey = (values: BankValues): boolean =>
  values.PAYOUTS_API_KEY === SANDBOX_KEY && values.PAYOUTS_API_SECRET === SANDBOX_SECRET;

/** Variables by which other programs are given proxies; the lower-case ones are older. */
const named = (env: Environment, name: string): string | undefined => env[name] || env[name.toLowerCase()] || undefined;

/** The proxy to a URL; undefined: it is reached directly. Throws a `ConfigError` for an address that cannot be used. */
export function proxiesOf(
  { PAYOUTS_PROXY: given }: BankValues,
  env: Environment,
): (url: string) => HttpProxy | undefined {
  const ofEnvironment = (name: string) => named(env, name) ?? named(env, 'ALL_PROXY');
  const proxyOf = (setting: string, address: string | undefined): HttpProxy | undefined => {
    try {
      return address === undefined ? undefined : proxyAt(address);
    } catch (error) {
      throw new ConfigError(setting, (error as Error).message, 'Percent-encode : / ? # @ % in a password: # is %23.');
    }
  };
  const [https, http] =
    given === 'environment'
      ? [proxyOf('HTTPS_PROXY', ofEnvironment('HTTPS_PROXY')), proxyOf('HTTP_PROXY', ofEnvironment('HTTP_PROXY'))]
      : [proxyOf('PAYOUTS_PROXY', given), proxyOf('PAYOUTS_PROXY', given)];
  const noProxy = named(env, 'NO_PROXY') ?? '';
  return (url) => {
    const at = new URL(url);
    return isDirect(at, noProxy) ? undefined : at.protocol === 'https:' ? https : http;
  };
}

/** Throws a `ConfigError` for a process that sends, and only reads from the bank. */
export function assertSends({ bank }: { bank: BankConfig }): void {
  if (bank.relay === undefined) return;
  throw new ConfigError(
    'PAYOUTS_BANK_READS_FROM',
    'is set, but a worker sends to the bank and needs its key',
    'Unset it, and set PAYOUTS_API_KEY_FILE and PAYOUTS_API_SECRET_FILE.',
  );
}

function assertSafeElsewhere(url: string, values: BankValues): void {
  if (values.PAYOUTS_API_SECRET === SANDBOX_SECRET || values.PAYOUTS_API_KEY === SANDBOX_KEY) {
    const name = values.PAYOUTS_API_KEY === SANDBOX_KEY ? 'PAYOUTS_API_KEY' : 'PAYOUTS_API_SECRET';
    throw new ConfigError(
      name,
      'is the sandbox default, but the bank is on another machine',
      `Set ${name} or ${name}_FILE.`,
    );
  }
  if (url.startsWith('http:') && !values.PAYOUTS_ALLOW_HTTP) {
    throw new ConfigError(
      'PAYOUTS_API_URL',
      'sends key and payees to another machine in clear text',
      'Use https://, or set PAYOUTS_ALLOW_HTTP=true.',
    );
  }
}
