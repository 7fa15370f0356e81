import type { Headers } from './scheme.ts';

/** A webhook that is not believed. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  /** kebab-case; never a value of the request. */
  readonly reason: string;

  constructor(reason: string) {
    super(reason);
    this.reason = reason;
  }
}

/** The one value of a header: of two, nobody could tell which one was signed. */
export function headerOf(headers: Headers, name: string): string {
  const values = headers[name] ?? [];
  if (values.length > 1) throw new Refusal('header-repeated');
  const [value] = values;
  if (value === undefined) throw new Refusal('header-missing');
  return value;
}

/** Either way of the clock: a webhook of the future is none either. */
export function assertRecent(sentAt: number, now: number, toleranceMs: number): void {
  if (sentAt < now - toleranceMs) throw new Refusal('timestamp-old');
  if (sentAt > now + toleranceMs) throw new Refusal('timestamp-future');
}
