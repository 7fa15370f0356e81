import { z } from 'zod';
import { isLoopback } from '../../domain/loopback.ts';
import { ConfigError, key, Secret, type ValuesOf } from './key.ts';
import { duration, durationUpTo, readBy, text } from './values.ts';

/** Not shortened: the issuer of a token is compared with it as it is. */
const issuer = readBy((given): string => {
  const url = URL.parse(given);
  if (url === null || !/^https?:$/.test(url.protocol) || url.username || url.search || url.hash) {
    throw new Error('is not an address such as https://login.example.com, without a query');
  }
  if (url.protocol === 'http:' && !isLoopback(url.hostname)) throw new Error('is http to another machine; use https');
  return given;
});

const scopes = z.string().refine((given) => given.split(' ').includes('openid'), {
  error: 'is not a list of scopes with openid among them, such as "openid email"',
});

const DAY_MS = 86_400_000;
const TOO_LONG = 'is not a duration of at most 24h';

/** How people sign in to the pages, and for how long. */
export const SIGN_IN_KEYS = {
  PAYOUTS_SESSION_IDLE: key(
    durationUpTo(DAY_MS, TOO_LONG),
    '30m',
    'a session of the pages ends this long after its last request',
  ),
  PAYOUTS_SESSION_LENGTH: key(
    durationUpTo(DAY_MS, TOO_LONG),
    '12h',
    'a session of the pages ends after this long in any case',
  ),
  PAYOUTS_OIDC_ISSUER: key(
    issuer,
    null,
    'issuer of the OpenID Connect provider through which people sign in to the pages; absent: with a passkey only',
  ),
  PAYOUTS_OIDC_CLIENT_ID: key(text, null, 'id of the pages at that provider'),
  PAYOUTS_OIDC_CLIENT_SECRET: key(
    text,
    null,
    'their secret there; preferably as PAYOUTS_OIDC_CLIENT_SECRET_FILE; absent: a public client, by PKCE only',
  ),
  PAYOUTS_OIDC_SCOPES: key(scopes, 'openid', 'scopes to ask for, separated by blanks'),
  PAYOUTS_OIDC_CLAIM: key(
    text,
    'sub',
    'claim with what the policy has as `identities` of a person; email counts only if the provider has verified it',
  ),
  PAYOUTS_OIDC_ROLES_CLAIM: key(
    text,
    null,
    'claim with names of roles; a session has those of them that the policy gives, and no others; absent: all that the policy gives',
  ),
  PAYOUTS_OIDC_GROUPS_CLAIM: key(
    text,
    null,
    'claim with names of groups; who is in one that the policy has under `readers` reads without being named there; absent: nobody',
  ),
  PAYOUTS_OIDC_RECHECK: key(
    duration.refine((ms) => ms >= 1_000 && ms <= DAY_MS, { error: 'is not a duration from 1s to 24h' }),
    '30m',
    'how long the word of the provider counts; before it ends it is asked again by a refresh token, without one people sign in again',
  ),
} as const;

type SignInValues = ValuesOf<typeof SIGN_IN_KEYS>;

/** Where people sign in, and what is believed of it. */
export interface OpenIdSettings {
  issuer: string;
  clientId: string;
  /** Undefined: a public client. */
  clientSecret: Secret | undefined;
  /** Separated by blanks. */
  scopes: string;
  claim: string;
  rolesClaim: string | undefined;
  groupsClaim: string | undefined;
  recheckMs: number;
}

/** Throws a `ConfigError` for an issuer without a client, or a client without an issuer. */
export function signInOf(values: SignInValues) {
  return {
    idleMs: values.PAYOUTS_SESSION_IDLE,
    longestMs: values.PAYOUTS_SESSION_LENGTH,
    /** Undefined: with a passkey only. */
    openId: openIdOf(values),
  };
}

function openIdOf(values: SignInValues): OpenIdSettings | undefined {
  const { PAYOUTS_OIDC_ISSUER: of, PAYOUTS_OIDC_CLIENT_ID: clientId, PAYOUTS_OIDC_CLIENT_SECRET: secret } = values;
  if (of === undefined && clientId === undefined && secret === undefined) return undefined;
  if (of === undefined || clientId === undefined) {
    const missing = of === undefined ? 'PAYOUTS_OIDC_ISSUER' : 'PAYOUTS_OIDC_CLIENT_ID';
    throw new ConfigError(missing, 'is missing: issuer and client id go together', 'Set both, or neither.');
  }
  return {
    issuer: of,
    clientId,
    clientSecret: secret === undefined ? undefined : new Secret(secret),
    scopes: values.PAYOUTS_OIDC_SCOPES,
    claim: values.PAYOUTS_OIDC_CLAIM,
    rolesClaim: values.PAYOUTS_OIDC_ROLES_CLAIM,
    groupsClaim: values.PAYOUTS_OIDC_GROUPS_CLAIM,
    recheckMs: values.PAYOUTS_OIDC_RECHECK,
  };
}
