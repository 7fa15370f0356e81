import { proxyNetworks } from './cards.ts';
import { ConfigError, key, Secret, type ValuesOf } from './key.ts';
import { count, httpUrl, oneOf, pathText, readBy } from './values.ts';

export interface GatewayToken {
  /** The maker of what is handed over with this token. */
  name: string | undefined;
  token: string;
}

/** Printable ASCII; a token without a name contains no colon, so that `name:` is not a token. */
const TOKEN = /^(?:([A-Za-z0-9._@-]{1,64}):([\x21-\x7e]+)|([\x21-\x39\x3b-\x7e]+))$/;

/** `TOKEN`, or `name:TOKEN`, or several separated by commas. */
export const gatewayTokens = readBy((text): GatewayToken[] => {
  const tokens = text.split(',').map((part): GatewayToken => {
    const [, name, named, bare = ''] = TOKEN.exec(part.trim()) ?? [];
    return { name, token: named ?? bare };
  });
  if (tokens.some(({ token }) => token === '')) {
    throw new Error('is not a list of TOKEN or name:TOKEN; a token has no spaces, and no colon unless it has a name');
  }
  if (!tokens.some(({ token }) => canBeGuessed(token))) return tokens;
  throw new Error(
    `has a token that can be guessed: it must have at least ${TOKEN_LENGTH_MIN} random characters, as from openssl rand -hex 32`,
  );
});

const TOKEN_LENGTH_MIN = 32;
/** 32 random hexadecimal digits have fewer once in a million times; what repeats itself has far fewer, however long it is. */
const PAIRS_MIN = 20;

const canBeGuessed = (token: string): boolean =>
  token.length < TOKEN_LENGTH_MIN || new Set([...token].map((_, at) => token.slice(at, at + 2))).size < PAIRS_MIN;

export const GATEWAY_KEYS = {
  PAYOUTS_GATEWAY_URL: key(
    httpUrl,
    null,
    'address of a gateway: commands then read and decide through it, as the owner of PAYOUTS_SIGNING_KEY or of a token in PAYOUTS_GATEWAY_TOKEN, and need no store, bank or Temporal',
  ),
  PAYOUTS_GATEWAY_TOKEN: key(
    gatewayTokens,
    null,
    'bearer tokens of the gateway, as TOKEN or name:TOKEN, comma-separated; absent: it serves only this machine',
  ),
  PAYOUTS_GATEWAY_TLS_CERT: key(
    pathText,
    null,
    'PEM file: certificate of the gateway with intermediate certificates; absent: plain HTTP',
  ),
  PAYOUTS_GATEWAY_TLS_KEY: key(pathText, null, 'PEM file: private key of that certificate, without a passphrase'),
  PAYOUTS_GATEWAY_TRUSTED_PROXY: key(
    proxyNetworks,
    null,
    'addresses of TLS proxies in front of a plain HTTP gateway, such as 192.0.2.0/24, comma-separated; other machines are then refused',
  ),
  PAYOUTS_GATEWAY_RATE: key(count(1, 1_000_000), '600', 'requests per minute allowed for one caller of the gateway'),
  PAYOUTS_GATEWAY_CONCURRENCY: key(
    count(1, 10_000),
    '32',
    'concurrent requests allowed for one caller of the gateway; further ones are refused',
  ),
  PAYOUTS_MCP: key(
    oneOf('off', 'read', 'propose'),
    'off',
    'what agents may use over the Model Context Protocol: read: the gateway offers /mcp, whose tools only read; propose: also plans and drafts, there and by `payouts mcp`, which reads in any case. No tool decides or pays',
  ),
} as const;

type GatewayValues = ValuesOf<typeof GATEWAY_KEYS>;

/**
 * Who may call a gateway, how often, and how other machines reach it. Throws a `ConfigError` for tokens beside a policy, a
 * certificate without a key, or a key without a certificate.
 */
export function gatewayOf(values: GatewayValues, policy: string | undefined) {
  return {
    /** Undefined: commands work where they are, with a store, a bank and Temporal of their own configuration. */
    url: values.PAYOUTS_GATEWAY_URL,
    /** Empty: only this machine, or the people of the policy, have access. */
    tokens: new Secret(tokensOf(values, policy)),
    perMinute: values.PAYOUTS_GATEWAY_RATE,
    atOnce: values.PAYOUTS_GATEWAY_CONCURRENCY,
    mcp: values.PAYOUTS_MCP,
    /** Paths of PEM files. */
    tls: tlsOf(values),
    proxies: values.PAYOUTS_GATEWAY_TRUSTED_PROXY ?? [],
  };
}

/** A policy has its people's tokens, and nobody else has access. */
function tokensOf(
  { PAYOUTS_GATEWAY_TOKEN: tokens = [] }: GatewayValues,
  policy: string | undefined,
): readonly GatewayToken[] {
  if (policy === undefined || tokens.length === 0) return tokens;
  throw new ConfigError(
    'PAYOUTS_GATEWAY_TOKEN',
    'is set together with PAYOUTS_POLICY, which has the tokens of its people',
    'Unset it; payouts policy token makes one for a person.',
  );
}

function tlsOf({ PAYOUTS_GATEWAY_TLS_CERT: cert, PAYOUTS_GATEWAY_TLS_KEY: key }: GatewayValues) {
  if (cert === undefined && key === undefined) return undefined;
  if (cert !== undefined && key !== undefined) return { cert, key };
  const missing = cert === undefined ? 'PAYOUTS_GATEWAY_TLS_CERT' : 'PAYOUTS_GATEWAY_TLS_KEY';
  throw new ConfigError(missing, 'is missing: a certificate and its key go together', 'Set both, or neither.');
}
