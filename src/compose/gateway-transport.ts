import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import { ConfigError } from '../config/config-error.ts';
import { Secret } from '../config/secret.ts';
import type { Config } from '../config.ts';
import type { GatewayTransport } from '../gateway/transport.ts';

/** Reads the gateway's certificate and key. Throws a `ConfigError` if one cannot be read or they do not match. */
export function gatewayTransport({ gateway: { tls, proxies } }: Pick<Config, 'gateway'>): GatewayTransport {
  if (tls === undefined) return { tls, proxies };
  const cert = pemOf('PAYOUTS_GATEWAY_TLS_CERT', tls.cert);
  const key = pemOf('PAYOUTS_GATEWAY_TLS_KEY', tls.key);
  try {
    createSecureContext({ cert, key });
  } catch {
    throw new ConfigError(
      'PAYOUTS_GATEWAY_TLS_CERT',
      'and PAYOUTS_GATEWAY_TLS_KEY are not a certificate and its key',
      'Name two PEM files that belong together; a key with a passphrase cannot be read.',
    );
  }
  return { tls: { cert, key: new Secret(key) }, proxies };
}

function pemOf(name: string, path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    throw new ConfigError(name, 'names a file that cannot be read', 'Check the path and its permissions.');
  }
}
