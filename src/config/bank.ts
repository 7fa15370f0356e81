import { isLoopback } from '../domain/loopback.ts';
import { ConfigError } from './config-error.ts';
import { key, type ValuesOf } from './key.ts';
import { Secret } from './secret.ts';
import { count, flag, httpUrl, jsonObject, oneOf, text } from './values.ts';

/** How the bank is reached. Settings marked (api-gaps) stand in for what the interface does not show. */
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
  if (url === undefined) return { kind: 'sandbox', ...access } as const;
  if (!isLoopback(new URL(url).hostname)) assertSafeElsewhere(url, values);
  return { kind: 'remote', url, ...access } as const;
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
