import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import type { WebhookConfig } from '../../platform/config/cards.ts';
import { ConfigError, Secret } from '../../platform/config/key.ts';
import type { Config } from '../../platform/config.ts';
import type { Stack, StackAddresses } from '../../platform/embedded/stack.ts';
import type { GatewayTransport } from './transport.ts';

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

const SECRET_BYTES = 32;
const PATIENCE_MS = 5_000;

/**
 * How webhooks are verified: as configured; with an embedded sandbox and no secret, by one that lives as long as this gateway.
 */
export function webhookSettings({ bank, webhook }: Pick<Config, 'bank' | 'webhook'>): WebhookConfig {
  if (bank.kind !== 'sandbox' || webhook.secrets.reveal().length > 0) return webhook;
  return { ...webhook, secrets: new Secret([randomBytes(SECRET_BYTES)]) };
}

/** A stack for a gateway, which may already have one of its own. */
export type GatewayAddresses = StackAddresses & Partial<Pick<Stack, 'gatewayUrl'>>;

/**
 * Registers with an embedded sandbox where webhooks go, as a merchant does in the acquirer's dashboard. There is only one
 * address: that of the stack's own gateway is not replaced.
 */
export async function registerWebhooks(
  { bank, webhook }: Pick<Config, 'bank' | 'webhook'>,
  addresses: Pick<GatewayAddresses, 'apiUrl' | 'gatewayUrl'>,
  gatewayUrl: string,
): Promise<void> {
  if (bank.kind !== 'sandbox' || (addresses.gatewayUrl ?? null) !== null) return;
  const [secret = Buffer.alloc(0)] = webhook.secrets.reveal();
  const endpoint = {
    url: `${gatewayUrl}/v1/webhooks/cards`,
    secret: `whsec_${secret.toString('base64')}`,
    scheme: webhook.scheme === 'ip' ? 'none' : webhook.scheme,
  };
  const response = await fetch(`${addresses.apiUrl}/__sandbox/webhooks`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(endpoint),
    signal: AbortSignal.timeout(PATIENCE_MS),
  });
  await response.body?.cancel();
  if (!response.ok) throw new Error(`the sandbox refused its webhook endpoint: HTTP ${response.status}`);
}
