/** A webhook as received, before verification. */
export interface Delivery {
  method: string;
  /** With its query, as in the request line. */
  path: string;
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
