import { randomBytes } from 'node:crypto';
import type { WebhookConfig } from '../config/cards.ts';
import { Secret } from '../config/secret.ts';
import type { Config } from '../config.ts';

const SECRET_BYTES = 32;
const PATIENCE_MS = 5_000;

/** How webhooks are verified: as configured; an embedded sandbox without a secret gets one for the life of this gateway. */
export function webhookSettings({ bank, webhook }: Pick<Config, 'bank' | 'webhook'>): WebhookConfig {
  if (bank.kind !== 'sandbox' || webhook.secrets.reveal().length > 0) return webhook;
  return { ...webhook, secrets: new Secret([randomBytes(SECRET_BYTES)]) };
}

/** Tells an embedded sandbox where webhooks go, as a merchant does in the acquirer's dashboard. */
export async function registerWebhooks(apiUrl: string, gatewayUrl: string, webhook: WebhookConfig): Promise<void> {
  const [secret = Buffer.alloc(0)] = webhook.secrets.reveal();
  const endpoint = {
    url: `${gatewayUrl}/v1/webhooks/cards`,
    secret: `whsec_${secret.toString('base64')}`,
    scheme: webhook.scheme === 'ip' ? 'none' : webhook.scheme,
  };
  const response = await fetch(`${apiUrl}/__sandbox/webhooks`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(endpoint),
    signal: AbortSignal.timeout(PATIENCE_MS),
  });
  await response.body?.cancel();
  if (!response.ok) throw new Error(`the sandbox refused its webhook endpoint: HTTP ${response.status}`);
}
