import {
  cardFieldNames,
  headerName,
  hosts,
  networks,
  origins,
  refusalStatuses,
  webhookSecrets,
} from './card-values.ts';
import { gatewayTokens } from './gateway-tokens.ts';
import { key } from './key.ts';
import { count, duration, durationUpTo, oneOf, text } from './values.ts';

/** Settings of the gateway, of cards and of webhooks. */
export const DOOR_KEYS = {
  PAYOUTS_GATEWAY_TOKEN: key(
    gatewayTokens,
    null,
    'bearer tokens of the gateway, TOKEN or name:TOKEN, comma-separated; absent: it listens on this machine only',
  ),
  PAYOUTS_GATEWAY_TLS_CERT: key(
    text,
    null,
    'PEM file: certificate of the gateway and those between it and its CA; absent: plain HTTP',
  ),
  PAYOUTS_GATEWAY_TLS_KEY: key(text, null, 'PEM file: private key of that certificate, without a pass phrase'),
  PAYOUTS_GATEWAY_TRUSTED_PROXY: key(
    networks,
    null,
    'addresses of proxies that speak TLS before a gateway of plain HTTP, such as 192.0.2.0/24, comma-separated; nobody else elsewhere is answered then',
  ),
  PAYOUTS_CODEC_KEYS: key(text, null, 'keys that encrypt payloads, id:base64 comma-separated, the first one in use'),
  PAYOUTS_CARD_FIELDS: key(
    cardFieldNames,
    '{}',
    'JSON {"name":"path"}: names of card fields on the wire, where they are not ours (api-gaps)',
  ),
  PAYOUTS_CARD_RETURN_HOSTS: key(
    hosts,
    null,
    'hosts that the return_url of a card payment may name, comma-separated; absent: this machine only',
  ),
  PAYOUTS_CARD_VERIFY_HOSTS: key(
    hosts,
    null,
    'hosts that cardholders may be sent to for a challenge, comma-separated; absent: any over https',
  ),
  PAYOUTS_CHECKOUT_ORIGINS: key(
    origins,
    null,
    'origins of checkout pages that may call the gateway from a browser, comma-separated; absent: none but the embedded sandbox',
  ),
  PAYOUTS_CARD_LIFE: key(
    durationUpTo(15 * 60_000, 'is no duration up to 15m'),
    '15m',
    'how long a gateway keeps a card in its memory, 15m at most; never scaled',
  ),
  PAYOUTS_CARD_FINGERPRINT_WAIT: key(
    duration,
    '10s',
    'how long a card payment waits for the fingerprint of the device',
  ),
  PAYOUTS_CARD_DEADLINE: key(
    duration,
    '30m',
    'how long a card payment waits for a card, or for a cardholder in a challenge',
  ),
  PAYOUTS_CARD_PATIENCE: key(
    duration,
    '5m',
    'a card payment in PROCESSING that has heard nothing for this long looks itself, ever more rarely',
  ),
  PAYOUTS_CARD_REPEAT_WINDOW: key(
    durationUpTo(24 * 3_600_000 - 1, 'is no duration below 24h'),
    '20h',
    'how long after its first attempt a card payment may be asked for again under its merchant_request_id, below 24h; never scaled',
  ),
  PAYOUTS_CARD_COMPLETION: key(
    oneOf('notice-or-return', 'notice'),
    'notice-or-return',
    "what ends a challenge: its completion notice, or the cardholder's return as well (api-gaps)",
  ),
  PAYOUTS_CARD_REFUSAL_STATUSES: key(
    refusalStatuses,
    null,
    'HTTP statuses of a card payment without a code that prove that nothing was taken, such as 400,422; absent: none (api-gaps)',
  ),
  PAYOUTS_WEBHOOK_SCHEME: key(
    oneOf('standard-webhooks', 'hmac-sha256', 'rfc9421', 'ip'),
    'standard-webhooks',
    'how card webhooks are verified; ip alone only tells where to look (api-gaps)',
  ),
  PAYOUTS_WEBHOOK_SECRET: key(
    webhookSecrets,
    null,
    'whsec_ + base64, or the secret as it is, 24 bytes at least; comma-separated while rotating; absent: signed webhooks are refused',
  ),
  PAYOUTS_WEBHOOK_HEADER: key(headerName, 'x-signature', 'hmac-sha256: header of the signature (api-gaps)'),
  PAYOUTS_WEBHOOK_TIMESTAMP_HEADER: key(
    headerName,
    null,
    'hmac-sha256: header of the time; when set, TIME.BODY is signed; absent: the body alone (api-gaps)',
  ),
  PAYOUTS_WEBHOOK_IPS: key(
    networks,
    null,
    'addresses webhooks may come from, such as 192.0.2.0/24, comma-separated; absent: any (api-gaps)',
  ),
  PAYOUTS_WEBHOOK_TOLERANCE: key(
    durationUpTo(3_600_000, 'is no duration up to 1h'),
    '5m',
    'how far the time of a signed webhook may be from ours, 1h at most; never scaled (api-gaps)',
  ),
  PAYOUTS_GATEWAY_RATE: key(count(1, 1_000_000), '600', 'requests a minute that one caller of the gateway has'),
} as const;
