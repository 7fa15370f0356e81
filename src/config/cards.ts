import type { WebhookSettings } from '../webhooks/settings.ts';
import { ConfigError } from './config-error.ts';
import type { KeyValues } from './keys.ts';
import { Secret } from './secret.ts';

/** How a gateway takes cards. */
export interface CardsConfig {
  /** Names of card fields on the wire, where they are not ours. */
  fields: Readonly<Record<string, string>>;
  /** Undefined: this machine only. */
  returnHosts: readonly string[] | undefined;
  /** Undefined: any. */
  verifyHosts: readonly string[] | undefined;
  checkoutOrigins: readonly string[];
  /** Never scaled. */
  lifeMs: number;
  refusalStatuses: readonly number[];
}

/** How webhooks are verified. The tolerance is the acquirer's time: never scaled. */
export interface WebhookConfig extends Omit<WebhookSettings, 'secrets'> {
  /** Empty: every webhook of a scheme that signs is refused. */
  secrets: Secret<readonly Buffer[]>;
}

export function cardsOf(values: KeyValues): CardsConfig {
  return {
    fields: values.PAYOUTS_CARD_FIELDS,
    returnHosts: values.PAYOUTS_CARD_RETURN_HOSTS,
    verifyHosts: values.PAYOUTS_CARD_VERIFY_HOSTS,
    checkoutOrigins: values.PAYOUTS_CHECKOUT_ORIGINS ?? [],
    lifeMs: values.PAYOUTS_CARD_LIFE,
    refusalStatuses: values.PAYOUTS_CARD_REFUSAL_STATUSES ?? [],
  };
}

/** Throws a `ConfigError` for a scheme that could verify nothing. */
export function webhookOf(values: KeyValues): WebhookConfig {
  const { PAYOUTS_WEBHOOK_SCHEME: scheme, PAYOUTS_WEBHOOK_IPS: ips = [] } = values;
  if (scheme === 'ip' && ips.length === 0) {
    throw new ConfigError('PAYOUTS_WEBHOOK_IPS', 'is missing for the scheme ip', 'Set the addresses of the sender.');
  }
  return {
    scheme,
    secrets: new Secret(values.PAYOUTS_WEBHOOK_SECRET ?? []),
    header: values.PAYOUTS_WEBHOOK_HEADER,
    timestampHeader: values.PAYOUTS_WEBHOOK_TIMESTAMP_HEADER,
    ips,
    toleranceMs: values.PAYOUTS_WEBHOOK_TOLERANCE,
  };
}
