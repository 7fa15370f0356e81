import { isIP } from 'node:net';
import { z } from 'zod';
import { CARD_FIELD_NAMES, cardFieldsProblem } from '../../bank/cards/card-fields.ts';
import { didYouMean } from '../../domain/nearest.ts';
import { TRIES_MAX } from '../../domain/new-card-payment.ts';
import { ConfigError, key, Secret, type ValuesOf } from './key.ts';
import { count, durationUpTo, jsonTexts, oneOf, readBy } from './values.ts';

/** JSON object: our name of a card field -> its path on the wire (`src/bank/cards/card-fields.ts`). */
const cardFieldNames = jsonTexts.transform((mapping, context) => {
  const unknown = Object.keys(mapping).find((name) => !CARD_FIELD_NAMES.includes(name));
  const problem =
    unknown === undefined
      ? cardFieldsProblem(mapping)
      : `${unknown} is not a card field.${didYouMean(unknown, CARD_FIELD_NAMES)}`;
  if (problem === undefined) return mapping;
  context.addIssue({ code: 'custom', message: `cannot be used: ${problem}` });
  return z.NEVER;
});

/** `shop.example,pay.example:8443` -> hosts in lower case, in the form of `URL.host`. */
const hosts = listOf('is not a list of hosts such as shop.example,pay.example:8443', (text) => {
  const url = URL.parse(`https://${text}`);
  // A wildcard would parse as a host, but match no address.
  return url?.host === text.toLowerCase() && !text.includes('*') ? url.host : undefined;
});

/** `https://shop.example` -> exact origins, as browsers send them. */
const origins = listOf('is not a list of origins such as https://shop.example', (text) => {
  const url = URL.parse(text);
  const isOrigin =
    url !== null && /^https?:$/.test(url.protocol) && url.origin === text.toLowerCase().replace(/\/$/, '');
  return isOrigin ? url.origin : undefined;
});

/** After these the acquirer may have executed the request, or asks for it to be repeated. */
const NO_REFUSALS: ReadonlySet<number> = new Set([401, 403, 408, 409, 425, 429]);

const refusalStatuses = listOf(
  `is not a list of HTTP statuses from 400 to 499, except ${[...NO_REFUSALS].join(', ')}`,
  (text) => (/^4\d\d$/.test(text) && !NO_REFUSALS.has(Number(text)) ? Number(text) : undefined),
);

/** In capitals, as statuses are compared. */
export const cardStatuses = listOf('is not a list of statuses such as REFUNDED,CHARGEBACK', (text) =>
  /^\w+$/.test(text) ? text.toUpperCase() : undefined,
);

/** Addresses and networks in CIDR notation. */
const networks = listOf('is not a list of addresses such as 192.0.2.7,198.51.100.0/24,2001:db8::/32', (text) => {
  const [, address = '', bits] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(text) ?? [];
  const most = { 4: 32, 6: 128 }[isIP(address)];
  return most !== undefined && Number(bits ?? most) <= most ? text : undefined;
});

/** Larger networks are no proxies of one's own: with `0.0.0.0/0` everybody would be one. fc00::/7 is that of private networks. */
const PROXY_BITS_MIN = { 4: 8, 6: 7 } as const;

/** Networks of machines of one's own. */
export const proxyNetworks = networks.refine(
  (given) =>
    given.every((network) => {
      const [address = '', bits] = network.split('/');
      return bits === undefined || Number(bits) >= (isIP(address) === 6 ? PROXY_BITS_MIN[6] : PROXY_BITS_MIN[4]);
    }),
  {
    error: 'takes in whole parts of the internet as proxies; name the addresses of the TLS proxies, such as 192.0.2.7',
  },
);

/** 192 bits, the least that Standard Webhooks lets a secret have. */
const SECRET_BYTES_MIN = 24;

const BAD_SECRETS = `is not a list of secrets: one has fewer than ${SECRET_BYTES_MIN} bytes, or no base64 after whsec_`;

/** After `whsec_`, base64 of the bytes (Standard Webhooks); anything else is taken as its UTF-8 bytes. */
export const webhookSecrets = listOf(BAD_SECRETS, (text) => {
  const base64 = /^whsec_(.*)$/.exec(text)?.[1];
  const bytes = base64 === undefined ? Buffer.from(text) : Buffer.from(base64, 'base64');
  const isWhole = base64 === undefined || bytes.toString('base64').replace(/=+$/, '') === base64.replace(/=+$/, '');
  return isWhole && bytes.length >= SECRET_BYTES_MIN ? bytes : undefined;
});

/** A header name in lower case (RFC 9110, token). */
const headerName = z
  .string()
  .regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/, { error: 'is not the name of a header' })
  .toLowerCase();

/** Comma-separated parts; `read` returns undefined for an unusable one. */
function listOf<T>(error: string, read: (part: string) => T | undefined) {
  return readBy((given): T[] => {
    const parts = given.split(',').map((part) => read(part.trim()));
    const values = parts.filter((value): value is T & {} => value !== undefined);
    if (values.length === parts.length) return values;
    throw new Error(error);
  });
}

/** How cards are taken and webhooks verified. Settings marked (api-gaps) supply what the interface does not show. */
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
