import { ConfigError } from './config-error.ts';
import type { KeyValues } from './keys.ts';

/** How a gateway is reached from other machines. */
export interface GatewayConfig {
  /** Paths of PEM files. */
  tls: { cert: string; key: string } | undefined;
  /** Addresses and networks. */
  proxies: readonly string[];
}

/** Throws a `ConfigError` for a certificate without a key, or a key without a certificate. */
export function gatewayConfigOf(values: KeyValues): GatewayConfig {
  const { PAYOUTS_GATEWAY_TLS_CERT: cert, PAYOUTS_GATEWAY_TLS_KEY: key, PAYOUTS_GATEWAY_TRUSTED_PROXY = [] } = values;
  const proxies = PAYOUTS_GATEWAY_TRUSTED_PROXY;
  if (cert === undefined && key === undefined) return { tls: undefined, proxies };
  if (cert === undefined || key === undefined) {
    const missing = cert === undefined ? 'PAYOUTS_GATEWAY_TLS_CERT' : 'PAYOUTS_GATEWAY_TLS_KEY';
    throw new ConfigError(missing, 'is missing: a certificate and its key go together', 'Set both, or neither.');
  }
  return { tls: { cert, key }, proxies };
}
