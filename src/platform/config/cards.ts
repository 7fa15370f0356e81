import { TRIES_MAX } from '../../domain/new-card-payment.ts';
import {
  cardFieldNames,
  headerName,
  hosts,
  networks,
  origins,
  refusalStatuses,
  webhookSecrets,
} from './card-values.ts';
import { ConfigError } from './config-error.ts';
import { key, type ValuesOf } from './key.ts';
import { Secret } from './secret.ts';
import { count, durationUpTo, oneOf } from './values.ts';

/** How cards are taken and webhooks verified. Settings marked (api-gaps) stand in for what the interface does not show. */
export const CARD_KEYS = {
  PAYOUTS_CARD_FIELDS: key(
    cardFieldNames,
    '{}',
    'JSON {"name":"path"}: names of card fields on the wire that differ from the built-in ones (api-gaps)',
  ),
  PAYOUTS_CARD_RETURN_HOSTS: key(
    hosts,
    null,
    'hosts allowed in the return_url of a card payment, comma-separated; absent: only this machine',
  ),
  PAYOUTS_CARD_VERIFY_HOSTS: key(
    hosts,
    null,
    'hosts to which cardholders may be sent for a challenge, comma-separated; absent: any over https',
  ),
  PAYOUTS_CHECKOUT_ORIGINS: key(
    origins,
    null,
    'origins of checkout pages that may call the gateway from a browser, comma-separated; absent: only the embedded sandbox',
  ),
  PAYOUTS_CARD_LIFE: key(
    durationUpTo(15 * 60_000, 'is not a duration up to 15m'),
    '15m',
    'how long a gateway keeps a card in its memory, 15m at most; never scaled',
  ),
  PAYOUTS_CARD_TRIES: key(
    count(1, TRIES_MAX),
    '3',
    'how many card payments a checkout page may make for one purchase, each after one that took nothing; 1: only the first',
  ),
  PAYOUTS_CARD_REFUSAL_STATUSES: key(
    refusalStatuses,
    null,
    'HTTP statuses without a code that prove that a card payment took no money, such as 400,422; absent: none (api-gaps)',
  ),
  PAYOUTS_WEBHOOK_SCHEME: key(
    oneOf('standard-webhooks', 'hmac-sha256', 'ip'),
    'standard-webhooks',
    'how card webhooks are verified; an event under ip only triggers a query of the acquirer (api-gaps)',
  ),
  PAYOUTS_WEBHOOK_SECRET: key(
    webhookSecrets,
    null,
    'whsec_ + base64, or the secret itself, at least 24 bytes; comma-separated while rotating; absent: signed webhooks are refused',
  ),
  PAYOUTS_WEBHOOK_HEADER: key(headerName, 'x-signature', 'hmac-sha256: header of the signature (api-gaps)'),
  PAYOUTS_WEBHOOK_TIMESTAMP_HEADER: key(
    headerName,
    null,
    'hmac-sha256: header of the time; if set, TIME.BODY is signed; absent: only the body (api-gaps)',
  ),
  PAYOUTS_WEBHOOK_IPS: key(
    networks,
    null,
    'addresses from which webhooks may come, such as 192.0.2.0/24, comma-separated; absent: any (api-gaps)',
  ),
  PAYOUTS_WEBHOOK_TOLERANCE: key(
    durationUpTo(3_600_000, 'is not a duration up to 1h'),
    '5m',
    'how far the time of a signed webhook may differ from ours, at most 1h; never scaled (api-gaps)',
  ),
} as const;

type CardValues = ValuesOf<typeof CARD_KEYS>;

export function cardsOf(values: CardValues) {
  return {
    /** Names of card fields on the wire that differ from ours. */
    fields: values.PAYOUTS_CARD_FIELDS,
    /** Undefined: only this machine. */
    returnHosts: values.PAYOUTS_CARD_RETURN_HOSTS,
    /** Undefined: any host. */
    verifyHosts: values.PAYOUTS_CARD_VERIFY_HOSTS,
    /** Card payments for one purchase, the first one included. */
    tries: values.PAYOUTS_CARD_TRIES,
    checkoutOrigins: values.PAYOUTS_CHECKOUT_ORIGINS ?? [],
    /** Not scaled by the time scale. */
    lifeMs: values.PAYOUTS_CARD_LIFE,
    refusalStatuses: values.PAYOUTS_CARD_REFUSAL_STATUSES ?? [],
  };
}

/** How webhooks are verified. The tolerance is the acquirer's time, so it is not scaled. */
export type WebhookConfig = ReturnType<typeof webhookOf>;

/** Throws a `ConfigError` for a scheme that cannot verify anything. */
export function webhookOf(values: CardValues) {
  const { PAYOUTS_WEBHOOK_SCHEME: scheme, PAYOUTS_WEBHOOK_IPS: ips = [] } = values;
  if (scheme === 'ip' && ips.length === 0) {
    throw new ConfigError('PAYOUTS_WEBHOOK_IPS', 'is missing for the scheme ip', 'Set the addresses of the sender.');
  }
  return {
    scheme,
    /** Empty: with a signing scheme, every webhook is refused. */
    secrets: new Secret(values.PAYOUTS_WEBHOOK_SECRET ?? []),
    header: values.PAYOUTS_WEBHOOK_HEADER,
    timestampHeader: values.PAYOUTS_WEBHOOK_TIMESTAMP_HEADER,
    ips,
    toleranceMs: values.PAYOUTS_WEBHOOK_TOLERANCE,
  };
}
