import { isIP } from 'node:net';
import { parse } from 'pg-connection-string';
import { isLoopback, leadsHere } from '../domain/loopback.ts';
import { ConfigError } from './config-error.ts';
import { key, type ValuesOf } from './key.ts';
import { flag } from './values.ts';

/** What would leave this machine readable or changeable by others is refused, unless one of these says that it may. */
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
} as const;

export type ClearTextValues = ValuesOf<typeof CLEAR_TEXT_KEYS>;

/** What besides our own settings decides about connections: Node.js and the client of PostgreSQL read it themselves. */
type ConnectionEnvironment = Readonly<Partial<Record<'PGHOST' | 'NODE_TLS_REJECT_UNAUTHORIZED', string | undefined>>>;

/** A cluster as @temporalio/envconfig reads it. */
export function assertTemporalSealed(
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

/**
 * @param url of PostgreSQL, read as its client reads it: parameters of the address come before its host, and PGHOST is
 *   taken where it names none
 */
export function assertPostgresSealed(url: string, values: ClearTextValues, env: ConnectionEnvironment): void {
  // What comes behind a # is no part of an address: its host would be read from half of a password.
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

function assertCertificatesCount(env: ConnectionEnvironment): void {
  if (env.NODE_TLS_REJECT_UNAUTHORIZED !== '0') return;
  throw new ConfigError(
    'NODE_TLS_REJECT_UNAUTHORIZED',
    'accepts any certificate for a Temporal or PostgreSQL on another machine',
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

/** A folder is that of a Unix socket. */
const isThisMachine = (host: string): boolean =>
  host.startsWith('/') || isLoopback(isIP(host) === 6 ? `[${host}]` : host);
