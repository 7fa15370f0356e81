import { createHmac, hash, timingSafeEqual } from 'node:crypto';
import { BlockList, isIP, isIPv4 } from 'node:net';

/**
 * Whether one of the signatures is by one of the secrets (HMAC-SHA-256). All pairs are compared in constant time: the timing does
 * not reveal which secret comes close, or how close.
 */
function isSigned(secrets: readonly Buffer[], signed: Buffer, signatures: readonly Buffer[]): boolean {
  let found = false;
  for (const secret of secrets) {
    const expected = createHmac('sha256', secret).update(signed).digest();
    for (const signature of signatures) {
      if (signature.length === expected.length && timingSafeEqual(signature, expected)) found = true;
    }
  }
  return found;
}

/**
 * 32 bytes in their only valid spelling: Node's decoder skips characters that are not base64, and ignores the last two bits of
 * the last character, which encoders always leave 0 (RFC 4648, 3.5).
 */
const BASE64_OF_32 = /^[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=$/;
const HEX_OF_32 = /^[0-9a-fA-F]{64}$/;

/** Undefined if it is not 32 bytes in base64. */
const base64Signature = (text: string): Buffer | undefined =>
  BASE64_OF_32.test(text) ? Buffer.from(text, 'base64') : undefined;

const hexSignature = (text: string): Buffer | undefined =>
  HEX_OF_32.test(text) ? Buffer.from(text, 'hex') : undefined;

/** Seconds, or milliseconds as elsewhere in the interface (section 1). */
const TIMESTAMP = /^(?:\d{10}|\d{13})$/;

/**
 * HMAC-SHA-256 of the raw body, or of `<timestamp>.<body>` if a timestamp header is configured; in hex or base64, with or without
 * the prefix `sha256=`.
 */
const signedByHeader =
  ({ secrets, header, timestampHeader, toleranceMs }: WebhookSettings): Scheme =>
  ({ headers, body, now }) => {
    const text = headerOf(headers, header).replace(/^sha256=/, '');
    const signature = hexSignature(text) ?? base64Signature(text);
    if (signature === undefined) throw new Refusal('signature-malformed');
    let signed = body;
    if (timestampHeader !== undefined) {
      const timestamp = headerOf(headers, timestampHeader);
      if (!TIMESTAMP.test(timestamp)) throw new Refusal('timestamp-malformed');
      assertRecent(Number(timestamp) * (timestamp.length === 10 ? 1_000 : 1), now, toleranceMs);
      signed = Buffer.concat([Buffer.from(`${timestamp}.`), body]);
    }
    if (!isSigned(secrets, signed, [signature])) throw new Refusal('signature-wrong');
    return undefined;
  };

type Settings = Pick<WebhookSettings, 'secrets' | 'toleranceMs'>;

const MESSAGE_ID = /^[\x21-\x7e]{1,128}$/;
const SECONDS = /^\d{10}$/;
const SYMMETRIC = 'v1,';
/** A sender that changes its secret signs with both the old and the new one. */
const SIGNATURES_MAX = 16;

/**
 * Standard Webhooks, symmetric: `v1,<base64>` of `<id>.<timestamp>.<body>`, several signatures separated by a space. Written here
 * because standardwebhooks signs the body as text, has its own clock and tolerance, and gives its reasons only as text.
 */
export const standardWebhook =
  ({ secrets, toleranceMs }: Settings): Scheme =>
  ({ headers, body, now }) => {
    const id = headerOf(headers, 'webhook-id');
    const timestamp = headerOf(headers, 'webhook-timestamp');
    const given = headerOf(headers, 'webhook-signature').split(' ');
    if (!MESSAGE_ID.test(id)) throw new Refusal('message-id-malformed');
    if (!SECONDS.test(timestamp)) throw new Refusal('timestamp-malformed');
    if (given.length > SIGNATURES_MAX) throw new Refusal('signatures-too-many');
    assertRecent(Number(timestamp) * 1_000, now, toleranceMs);
    const signatures = given
      .filter((text) => text.startsWith(SYMMETRIC))
      .flatMap((text) => base64Signature(text.slice(SYMMETRIC.length)) ?? []);
    if (signatures.length === 0) throw new Refusal('signature-malformed');
    if (!isSigned(secrets, signedContent(id, timestamp, body), signatures)) throw new Refusal('signature-wrong');
    return id;
  };

/** Headers of our own webhooks, signed with every secret: a receiver that knows one of them accepts it. `at`: epoch ms. */
export function signedHeaders(
  secrets: readonly Buffer[],
  { id, at, body }: { id: string; at: number; body: Buffer },
): Record<'webhook-id' | 'webhook-timestamp' | 'webhook-signature', string> {
  const timestamp = `${Math.floor(at / 1_000)}`;
  const content = signedContent(id, timestamp, body);
  const signatures = secrets.map((secret) => SYMMETRIC + createHmac('sha256', secret).update(content).digest('base64'));
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') };
}

const signedContent = (id: string, timestamp: string, body: Buffer): Buffer =>
  Buffer.concat([Buffer.from(`${id}.${timestamp}.`), body]);

/**
 * Whether an address is in a list of addresses and CIDR ranges; an IPv4 address in IPv6 form counts as IPv4. Throws for an
 * invalid entry.
 */
export function ipList(entries: readonly string[]): (address: string) => boolean {
  const list = new BlockList();
  for (const entry of entries) {
    const [address = '', prefix] = entry.split('/');
    const family = familyOf(address);
    if (prefix === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(prefix), family);
  }
  return (address) => isIP(address) !== 0 && list.check(address, familyOf(address));
}

const familyOf = (address: string): 'ipv4' | 'ipv6' => (isIPv4(address) ? 'ipv4' : 'ipv6');

/** How webhooks are verified (interface section 6 shows neither header, scheme nor addresses). */
export interface WebhookSettings {
  scheme: 'standard-webhooks' | 'hmac-sha256' | 'ip';
  /** All are valid at the same time, so that one can replace another. */
  secrets: readonly Buffer[];
  /** `hmac-sha256`: lower-case name of the signature's header. */
  header: string;
  /** `hmac-sha256`: lower-case name of the timestamp's header; if set, `<timestamp>.<body>` is signed. */
  timestampHeader: string | undefined;
  /** Addresses and CIDR ranges from which webhooks may come; empty: any. */
  ips: readonly string[];
  /** How far the sender's clock may be off. */
  toleranceMs: number;
}

/** A webhook as received, before verification. */
export interface Delivery {
  /** Lower-case name -> all values, as in `IncomingMessage.headersDistinct`. */
  headers: Headers;
  body: Buffer;
  /** Of the socket; headers about the sender are not trusted. */
  remoteAddress: string;
  /** Epoch ms. */
  now: number;
}

type Headers = Readonly<Record<string, readonly string[] | undefined>>;

/** Verifies the sender of a delivery and returns the sender's message id if the scheme has one; throws a `Refusal`. */
type Scheme = (delivery: Delivery) => string | undefined;

/** A webhook that failed verification. */
class Refusal extends Error {
  override readonly name = 'Refusal';
  /** In kebab-case; never contains a value of the request. */
  readonly reason: string;

  constructor(reason: string) {
    super(reason);
    this.reason = reason;
  }
}

/** The only value of a header: of two, it is unknown which one was signed. */
function headerOf(headers: Headers, name: string): string {
  const values = headers[name] ?? [];
  if (values.length > 1) throw new Refusal('header-repeated');
  const [value] = values;
  if (value === undefined) throw new Refusal('header-missing');
  return value;
}

/** In both directions: a webhook from the future is refused too. */
function assertRecent(sentAt: number, now: number, toleranceMs: number): void {
  if (sentAt < now - toleranceMs) throw new Refusal('timestamp-old');
  if (sentAt > now + toleranceMs) throw new Refusal('timestamp-future');
}

type Verdict =
  /** `hint`: authenticated only by the sender's address. `receiptId`: the same for a repeated webhook. */
  | { trust: 'verified' | 'hint'; receiptId: string }
  /** In kebab-case; for the log, not for the sender. */
  | { refused: string };

export interface Verifier {
  verify(delivery: Delivery): Verdict;
}

/** Without a secret, or for `ip` without a list, every webhook is refused. */
export function createVerifier(settings: WebhookSettings): Verifier {
  const isListed = settings.ips.length === 0 ? undefined : ipList(settings.ips);
  const scheme =
    settings.scheme === 'ip' || settings.secrets.length === 0 ? undefined : SIGNED[settings.scheme](settings);
  if (scheme === undefined && !(settings.scheme === 'ip' && isListed !== undefined)) {
    return { verify: () => ({ refused: 'unconfigured' }) };
  }
  return {
    verify(delivery) {
      if (isListed?.(delivery.remoteAddress) === false) return { refused: 'sender-not-listed' };
      try {
        const messageId = scheme?.(delivery);
        const trust = scheme === undefined ? 'hint' : 'verified';
        return { trust, receiptId: receiptOf(settings.scheme, messageId, delivery.body) };
      } catch (error) {
        if (error instanceof Refusal) return { refused: error.reason };
        throw error;
      }
    },
  };
}

const SIGNED: Readonly<Record<Exclude<WebhookSettings['scheme'], 'ip'>, (settings: WebhookSettings) => Scheme>> = {
  'standard-webhooks': standardWebhook,
  'hmac-sha256': signedByHeader,
};

/** With the digest, no event is lost if a sender uses an id twice. */
function receiptOf(scheme: string, messageId: string | undefined, body: Buffer): string {
  const digest = hash('sha256', body);
  return [scheme, ...(messageId === undefined ? [] : [messageId]), digest].join('/');
}
