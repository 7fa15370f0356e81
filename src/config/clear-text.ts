import { isIP } from 'node:net';
import { parse } from 'pg-connection-string';
import { ConfigError } from './config-error.ts';
import type { KeyValues } from './keys.ts';
import { hostOf, isLoopback } from './loopback.ts';

/** Refuses what would leave this machine readable or changeable by others, unless a setting says that it may. */

/** A cluster as @temporalio/envconfig reads it. */
export function assertTemporalSealed(address: string, tls: unknown, values: KeyValues): void {
  if (tls || isLoopback(hostOf(address)) || values.PAYOUTS_ALLOW_CLEAR_TEMPORAL) return;
  throw new ConfigError(
    'TEMPORAL_ADDRESS',
    'sends payees and decisions to another machine in clear text',
    'Set TEMPORAL_TLS=true (an API key or a certificate sets it too), or PAYOUTS_ALLOW_CLEAR_TEMPORAL=true.',
  );
}

/**
 * @param url of PostgreSQL, read as its client reads it: parameters of the address come before its host
 * @param pgHost PGHOST, which the client takes where the address names no host
 */
export function assertPostgresSealed(url: string, pgHost: string | undefined, values: KeyValues): void {
  const { host, sslmode } = readPostgres(url);
  if (sslmode === 'verify-full' || isThisMachine(host || pgHost || 'localhost')) return;
  if (values.PAYOUTS_ALLOW_CLEAR_STORE) return;
  throw new ConfigError(
    'PAYOUTS_STORE_URL',
    'is a PostgreSQL on another machine without sslmode=verify-full: others on the way could read and change what it keeps',
    'Add ?sslmode=verify-full (and sslrootcert=FILE for a CA of your own), or set PAYOUTS_ALLOW_CLEAR_STORE=true.',
  );
}

function readPostgres(url: string): ReturnType<typeof parse> {
  try {
    return parse(url);
  } catch {
    throw new ConfigError(
      'PAYOUTS_STORE_URL',
      'cannot be read, or names a certificate that cannot be read',
      'Check the address, and the files of sslrootcert, sslcert and sslkey.',
    );
  }
}

/** A folder is that of a Unix socket. */
const isThisMachine = (host: string): boolean =>
  host.startsWith('/') || isLoopback(isIP(host) === 6 ? `[${host}]` : host);
