import { isIP } from 'node:net';
import { z } from 'zod';
import { CARD_FIELD_NAMES, cardFieldsProblem } from '../../bank/cards/card-fields.ts';
import { didYouMean } from '../../domain/nearest.ts';
import { jsonTexts, readBy } from './values.ts';

/** JSON object: our name of a card field -> its path on the wire (`src/bank/cards/card-fields.ts`). */
export const cardFieldNames = jsonTexts.transform((mapping, context) => {
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
export const hosts = listOf('is not a list of hosts such as shop.example,pay.example:8443', (text) => {
  const url = URL.parse(`https://${text}`);
  // A wildcard would parse as a host, but match no address.
  return url?.host === text.toLowerCase() && !text.includes('*') ? url.host : undefined;
});

/** `https://shop.example` -> exact origins, as browsers send them. */
export const origins = listOf('is not a list of origins such as https://shop.example', (text) => {
  const url = URL.parse(text);
  const isOrigin =
    url !== null && /^https?:$/.test(url.protocol) && url.origin === text.toLowerCase().replace(/\/$/, '');
  return isOrigin ? url.origin : undefined;
});

/** After these the acquirer may have executed the request, or asks for it to be repeated. */
const NO_REFUSALS: ReadonlySet<number> = new Set([401, 403, 408, 409, 425, 429]);

export const refusalStatuses = listOf(
  `is not a list of HTTP statuses from 400 to 499, except ${[...NO_REFUSALS].join(', ')}`,
  (text) => (/^4\d\d$/.test(text) && !NO_REFUSALS.has(Number(text)) ? Number(text) : undefined),
);

/** In capitals, as statuses are compared. */
export const cardStatuses = listOf('is not a list of statuses such as REFUNDED,CHARGEBACK', (text) =>
  /^\w+$/.test(text) ? text.toUpperCase() : undefined,
);

/** Addresses and networks in CIDR notation. */
export const networks = listOf('is not a list of addresses such as 192.0.2.7,198.51.100.0/24,2001:db8::/32', (text) => {
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

/** After `whsec_`, base64 of the bytes (Standard Webhooks); anything else stands for its UTF-8 bytes. */
export const webhookSecrets = listOf(BAD_SECRETS, (text) => {
  const base64 = /^whsec_(.*)$/.exec(text)?.[1];
  const bytes = base64 === undefined ? Buffer.from(text) : Buffer.from(base64, 'base64');
  const isWhole = base64 === undefined || bytes.toString('base64').replace(/=+$/, '') === base64.replace(/=+$/, '');
  return isWhole && bytes.length >= SECRET_BYTES_MIN ? bytes : undefined;
});

/** A header name in lower case (RFC 9110, token). */
export const headerName = z
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
