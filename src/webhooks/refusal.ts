import type { Headers } from './scheme.ts';

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
