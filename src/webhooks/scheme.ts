/** A webhook as it came, before anything in it is believed. */
export interface Delivery {
  method: string;
  /** With its query, as the request line holds it. */
  path: string;
  /** Lower-case name -> every value, as `IncomingMessage.headersDistinct`. */
  headers: Headers;
  body: Buffer;
  /** Of the socket; what a header says about the sender counts for nothing. */
  remoteAddress: string;
  /** Epoch ms. */
  now: number;
}

export type Headers = Readonly<Record<string, readonly string[] | undefined>>;

/** Checks who sent a delivery, and gives the sender's id of the message where its scheme has one; throws a `Refusal`. */
export type Scheme = (delivery: Delivery) => string | undefined;
