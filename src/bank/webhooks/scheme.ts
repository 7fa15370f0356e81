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

export type Headers = Readonly<Record<string, readonly string[] | undefined>>;

/** Verifies the sender of a delivery and returns the sender's message id if the scheme has one; throws a `Refusal`. */
export type Scheme = (delivery: Delivery) => string | undefined;

/** A webhook that failed verification. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  /** In kebab-case; never contains a value of the request. */
  readonly reason: string;

  constructor(reason: string) {
    super(reason);
    this.reason = reason;
  }
}

/** The only value of a header: of two, it is unknown which one was signed. */
export function headerOf(headers: Headers, name: string): string {
  const values = headers[name] ?? [];
  if (values.length > 1) throw new Refusal('header-repeated');
  const [value] = values;
  if (value === undefined) throw new Refusal('header-missing');
  return value;
}

/** In both directions: a webhook from the future is refused too. */
export function assertRecent(sentAt: number, now: number, toleranceMs: number): void {
  if (sentAt < now - toleranceMs) throw new Refusal('timestamp-old');
  if (sentAt > now + toleranceMs) throw new Refusal('timestamp-future');
}
