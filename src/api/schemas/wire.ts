import { z } from 'zod';

/**
 * Tolerant building blocks for answers of the bank: the interface gives examples, not types, so a number is taken for a
 * decimal string and null for an absent field.
 */

/** A decimal as text, whatever JSON type it came in. */
export const decimal = z
  .union([z.string().trim(), z.number()])
  .transform(String)
  .pipe(z.string().regex(/^-?\d+(\.\d+)?$/, 'a plain decimal'));

/** A decimal that may be absent, null or empty. */
export const optionalDecimal = z
  .union([decimal, z.literal('')])
  .nullish()
  .transform((value) => (value === '' ? undefined : (value ?? undefined)));

/**
 * How much is moved or taken; which way it goes other fields say. Some write what leaves an account with a minus: that would pass every
 * cap on a fee or a rate, and turn the sign of a total.
 */
export const amount = decimal.transform(unsigned);
export const optionalAmount = optionalDecimal.transform((value) => value && unsigned(value));

function unsigned(value: string): string {
  return value.replace(/^-/, '');
}

/** Text of the bank. PostgreSQL stores no U+0000: what would hold one fails every write that names it. */
export const wireText = z.string().transform(storable);

function storable(text: string): string {
  return text.replaceAll('\0', '\ufffd');
}

/** An identifier: a non-empty string, or an integer taken as text. */
export const identifier = z
  .union([z.string(), z.number().int()])
  .transform((value) => storable(String(value)))
  .pipe(z.string().min(1));

/** Free text that may be absent, null or of another scalar type. */
export const optionalText = z
  .union([z.string(), z.number(), z.boolean()])
  .nullish()
  .transform((value) => (value === null || value === undefined || value === '' ? undefined : storable(String(value))));

/** A word of an enumeration, or a currency code: compared, so that it is read in capitals. */
export const optionalWord = optionalText.transform((value) => inCapitals(value ?? '') || undefined);

export const inCapitals = (word: string): string => word.trim().toUpperCase();

/** Epoch milliseconds, as a number or digits. */
export const timestamp = z
  .union([z.number(), z.string().regex(/^\d+$/)])
  .transform(Number)
  .pipe(z.number().int().nonnegative());

export const optionalTimestamp = z
  .union([timestamp, z.literal('')])
  .nullish()
  .transform((value) => (value === '' ? undefined : (value ?? undefined)));

/** A count of a page, as a number or digits; null is absent, never 0. */
const optionalCount = z
  .union([z.number(), z.string().regex(/^\d+$/)])
  .transform(Number)
  .pipe(z.number().int().nonnegative())
  .nullish()
  .transform((count) => count ?? undefined);

/** Currency codes are compared, so they are read in upper case. */
export const currencyCode = z.string().trim().toUpperCase().min(3).max(3);

/**
 * A page of a list. `pages` and `total` may be missing: readers then go on until a page comes back empty. One with neither records
 * nor a total does not say that the list is empty: it says nothing.
 */
export const pageOf = <T extends z.ZodType>(record: T) =>
  z
    .object({
      total: optionalCount,
      page: optionalCount,
      pages: optionalCount,
      page_size: optionalCount,
      records: z.array(record).nullish(),
    })
    .refine(({ total, records }) => total !== undefined || records !== undefined, { path: ['records'] })
    .transform(({ records, ...page }) => ({ ...page, records: records ?? [] }));

export type Page<T> = { total?: number; page?: number; pages?: number; page_size?: number; records: T[] };
