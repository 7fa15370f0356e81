import { ENVELOPE_CODES, type EnvelopeCode } from '../bank/schemas/envelope.ts';

export type RefusalCode = Exclude<EnvelopeCode, 0>;

export const REFUSAL_CODES = Object.keys(ENVELOPE_CODES).map(Number).filter(isRefusalCode);

export function isRefusalCode(code: number): code is RefusalCode {
  return code !== 0 && code in ENVELOPE_CODES;
}

/** An envelope code other than 0 (interface section 7). Thrown inside a transaction, which undoes the call. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly code: RefusalCode;
  /** For people; never contains a value of the request. */
  readonly detail: string | undefined;

  constructor(code: RefusalCode, detail?: string) {
    super(ENVELOPE_CODES[code]);
    this.code = code;
    this.detail = detail;
  }
}

export const badRequest = (detail: string): Refusal => new Refusal(2002, detail);

/**
 * HTTP status of each code under the profile `errorStatus: 'matching'`. The interface does not show one; the default
 * profile answers 200.
 */
export const MATCHING_STATUS: Readonly<Record<RefusalCode, number>> = {
  2001: 500,
  2002: 400,
  2003: 409,
  2004: 404,
  2005: 404,
  2006: 404,
  2007: 403,
  2008: 500,
  2009: 422,
  2010: 422,
  2011: 409,
};
