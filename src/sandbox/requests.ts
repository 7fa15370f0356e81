import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { ENVELOPE_CODES, type EnvelopeCode } from '../bank/schemas/envelope.ts';

export const newId = (prefix: 'ord' | 'ben' | 'acc' | 'pay' | '3ds' | 'evt'): string => `${prefix}-${randomUUID()}`;

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

/** Bodies and queries of the interface (section 4), parsed strictly: what it calls a string must be one. */

const text = z.string().min(1).max(4_096);
const optionalText = z
  .string()
  .max(4_096)
  .nullish()
  .transform((value) => value ?? null);
const currency = z.string().regex(/^[A-Z]{3}$/);
const reference = z.string().min(1).max(64);
const queryText = z.string().optional();
const page = { page: queryText, page_size: queryText };

/** Optional fields of every order POST. */
const orderOptions = {
  note: optionalText,
  reason: optionalText,
  expired_at: z
    .int()
    .nonnegative()
    .nullish()
    .transform((value) => value ?? null),
};

export const paymentFeeQuery = z.object({ uid: text, account_id: text, beneficiary_id: text, amount: text, currency });
export const paymentBody = z.object({
  uid: text,
  account_id: text,
  beneficiary_id: text,
  reference,
  amount: text,
  currency,
  charge_type: z.enum(['OUR', 'BEN', 'SHA']).nullish(),
  ...orderOptions,
});
export type PaymentRequest = z.infer<typeof paymentBody>;

export const transferFeeQuery = z.object({ source_account_id: text, destination_account_id: text, amount: text });
export const transferBody = z.object({
  source_account_id: text,
  destination_account_id: text,
  reference,
  amount: text,
  ...orderOptions,
});

export const fxQuoteQuery = z.object({ sell_account: text, buy_account: text, amount: text, currency });
export const fxBody = fxQuoteQuery.extend({
  reference,
  type: z.enum(['MARKET', 'LIMIT']).nullish(),
  ...orderOptions,
});

export const orderListQuery = z.object({
  uid: text,
  currency,
  account_id: queryText,
  created_at_from: queryText,
  create_at_to: queryText,
  amount_from: queryText,
  amount_to: queryText,
  order_type: z.enum(['PAYMENT', 'TRANSFER', 'FX', 'REFUND']).optional(),
  ...page,
});

export const rejectBody = z.object({ remark: text });

const beneficiaryType = z.enum(['personal', 'business']);
export const requiredDetailsQuery = z.object({ currency, beneficiary_type: beneficiaryType });
export const beneficiaryBody = z.looseObject({
  uid: text,
  currency,
  beneficiary_type: beneficiaryType,
  payment_type: text,
});
export const beneficiaryUpdateBody = z.looseObject({ uid: text });
export const beneficiaryListQuery = z.object({
  uid: text,
  currency: currency.optional(),
  beneficiary_type: beneficiaryType.optional(),
  payment_type: queryText,
  ...page,
});

/** For test-only routes: entries after this number. */
export const afterQuery = z.object({
  after: z
    .string()
    .regex(/^\d{1,15}$/)
    .default('0')
    .transform(Number),
});

/** Parses a part of a request. Throws 2002 with the names of wrong fields, never their values. */
export function read<T extends z.ZodType>(schema: T, value: unknown): z.infer<T> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const fields = new Set(result.error.issues.map(({ path }) => path.join('.') || 'body'));
  throw badRequest(`check ${[...fields].join(', ')}`);
}
