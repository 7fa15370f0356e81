import { isIP } from 'node:net';
import { parse } from 'pg-connection-string';
import { isLoopback, leadsHere } from '../../domain/loopback.ts';
import { ConfigError, key, type ValuesOf } from './key.ts';
import { flag } from './values.ts';

/** Anything that would leave this machine in clear text is refused, unless one of these settings allows it. */
export const CLEAR_TEXT_KEYS = {
  PAYOUTS_ALLOW_CLEAR_TEMPORAL: key(
    flag,
    'false',
    'allow a Temporal on another machine without TLS, which sends payees and decisions in clear text',
  ),
  PAYOUTS_ALLOW_CLEAR_STORE: key(
    flag,
    'false',
    'allow a PostgreSQL on another machine without sslmode=verify-full, whose data others could read and change in transit',
  ),
  PAYOUTS_ALLOW_CLEAR_PAYLOADS: key(
    flag,
    'false',
    'allow a Temporal on another machine without PAYOUTS_CODEC_KEYS, which keeps payees and decisions in clear text',
  ),
} as const;

export type ClearTextValues = ValuesOf<typeof CLEAR_TEXT_KEYS>;

/** Variables of the environment that Node.js and the PostgreSQL client read themselves, and that affect connections. */
type ConnectionEnvironment = Readonly<Partial<Record<'PGHOST' | 'NODE_TLS_REJECT_UNAUTHORIZED', string | undefined>>>;

/** Checks a cluster's connection, as read by @temporalio/envconfig. */
export function assertTemporalEncrypted(
  address: string,
  tls: unknown,
  values: ClearTextValues,
  env: ConnectionEnvironment,
): void {
  if (leadsHere(address) || values.PAYOUTS_ALLOW_CLEAR_TEMPORAL) return;
  if (tls) {
    assertCertificatesCount(env);
    return;
  }
  throw new ConfigError(
    'TEMPORAL_ADDRESS',
    'sends payees and decisions to another machine in clear text',
    'Set TEMPORAL_TLS=true (an API key or a certificate sets it too), or PAYOUTS_ALLOW_CLEAR_TEMPORAL=true.',
  );
}

/** With TLS, Temporal itself still keeps payloads as they are sent to it: anyone who can read a history reads payees and amounts. */
export function assertPayloadsEncrypted(
  temporal: { kind: 'embedded' } | { kind: 'cluster'; address: string },
  { PAYOUTS_CODEC_KEYS, PAYOUTS_ALLOW_CLEAR_PAYLOADS }: ClearTextValues & { PAYOUTS_CODEC_KEYS: unknown },
): void {
  if (temporal.kind === 'embedded' || leadsHere(temporal.address)) return;
  if (PAYOUTS_CODEC_KEYS !== undefined || PAYOUTS_ALLOW_CLEAR_PAYLOADS) return;
  throw new ConfigError(
    'PAYOUTS_CODEC_KEYS',
    'is not set, but the Temporal on another machine would keep payees and decisions of a real bank in clear text',
    'Set id:KEY with KEY from openssl rand -base64 32, preferably in a file, or PAYOUTS_ALLOW_CLEAR_PAYLOADS=true.',
  );
}

/** @param url read as the PostgreSQL client reads it: query parameters override the host, and PGHOST is used if there is none */
export function assertPostgresEncrypted(url: string, values: ClearTextValues, env: ConnectionEnvironment): void {
  // Everything after # is not part of the URL: the host would be taken from half of a password.
  if (url.includes('#')) {
    throw new ConfigError(
      'PAYOUTS_STORE_URL',
      'has a #, which ends an address',
      'Percent-encode : / ? # @ % in its password: # is %23.',
    );
  }
  const { host, sslmode } = readPostgres(url);
  if (isThisMachine(host || env.PGHOST || 'localhost') || values.PAYOUTS_ALLOW_CLEAR_STORE) return;
  if (sslmode === 'verify-full') {
    assertCertificatesCount(env);
    return;
  }
  throw new ConfigError(
    'PAYOUTS_STORE_URL',
    'is a PostgreSQL on another machine without sslmode=verify-full: others could read and change its data in transit',
    'Add ?sslmode=verify-full (and sslrootcert=FILE for your own CA), or set PAYOUTS_ALLOW_CLEAR_STORE=true.',
  );
}

/** Checks the address of a gateway that commands use. */
export function assertGatewayEncrypted(url: string, env: ConnectionEnvironment): void {
  if (leadsHere(url)) return;
  assertCertificatesCount(env);
  if (url.startsWith('https:')) return;
  throw new ConfigError(
    'PAYOUTS_GATEWAY_URL',
    'sends payees and tokens to another machine in clear text',
    'Use the https:// address of the gateway.',
  );
}

function assertCertificatesCount(env: ConnectionEnvironment): void {
  if (env.NODE_TLS_REJECT_UNAUTHORIZED !== '0') return;
  throw new ConfigError(
    'NODE_TLS_REJECT_UNAUTHORIZED',
    'accepts any certificate for a gateway, Temporal or PostgreSQL on another machine',
    'Unset it; NODE_EXTRA_CA_CERTS=FILE adds your own CA.',
  );
}

function readPostgres(url: string): ReturnType<typeof parse> {
  try {
    return parse(url);
  } catch {
    throw new ConfigError(
      'PAYOUTS_STORE_URL',
      'cannot be read, or names a certificate that cannot be read',
      'Percent-encode : / ? # @ % in its password (# is %23); check the files of sslrootcert, sslcert and sslkey.',
    );
  }
}

/** A path is the folder of a Unix socket. */
const isThisMachine = (host: string): boolean =>
  host.startsWith('/') || isLoopback(isIP(host) === 6 ? `[${host}]` : host);
