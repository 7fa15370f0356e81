import { z } from 'zod';
import { LIST_DOUBTS, type ListDoubt } from '../../domain/absence.ts';
import { currencyExponent, unsigned } from '../../domain/money.ts';

/**
 * Tolerant building blocks for the bank's answers. The interface gives examples, not types, so a number is accepted for a decimal
 * string and null for an absent field.
 */

/** A decimal as text, from a string or a number. */
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
 * An unsigned amount; other fields give its direction. Some banks write debits with a minus, which would pass every cap on a fee
 * or rate and flip the sign of a total.
 */
export const amount = decimal.transform(unsigned);
export const optionalAmount = optionalDecimal.transform((value) => value && unsigned(value));

/**
 * The one spelling of each amount, by the currency that the answer shows in another member. Approvals and reports hold amounts as
 * text, and a bank may write "1.5", "1.50" and "1.500000" in turn.
 */
export const spelled =
  <Amount extends string, Currency extends string>(currencies: Record<Amount, Currency>) =>
  <T extends { [member in Amount | Currency]?: string | undefined }>(shown: T): T => {
    const result = { ...shown };
    for (const member of Object.keys(currencies) as Amount[]) {
      const [text, currency = ''] = [shown[member], shown[currencies[member]]];
      if (text !== undefined) result[member] = inCurrency(text, currency) as T[Amount];
    }
    return result;
  };

/** With the decimals of its currency, and no zeros beyond them. */
function inCurrency(text: string, currency: string): string {
  const exponent = currencyExponent(currency);
  if (exponent === undefined) return text;
  const [whole = '', fraction = ''] = text.split('.');
  let end = fraction.length;
  while (end > exponent && fraction[end - 1] === '0') end -= 1;
  const decimals = fraction.slice(0, end).padEnd(exponent, '0');
  return decimals === '' ? whole : `${whole}.${decimals}`;
}

/**
 * Text from the bank. Replaces what PostgreSQL cannot store, so that every write of such a text would fail: U+0000, and half a
 * surrogate pair, which has no UTF-8 and ends a Temporal worker that uses it as an id.
 */
const wireText = z.string().transform(storable);

function storable(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\ufffd');
}

/** A non-empty string, or an integer converted to text. */
export const identifier = z
  .union([z.string(), z.number().int()])
  .transform((value) => storable(String(value)))
  .pipe(z.string().min(1));

/** Free text that may be absent, null or of another scalar type. */
export const optionalText = z
  .union([z.string(), z.number(), z.boolean()])
  .nullish()
  .transform((value) => (value === null || value === undefined || value === '' ? undefined : storable(String(value))));

/** No word of an enumeration is as long, and no currency code. */
const WORD_MAX = 100;

/**
 * A word of an enumeration. It is shown to people, stored in rows and repeated in histories, so that one longer than any of the
 * interface is cut.
 */
export const word = wireText.pipe(z.string().min(1)).transform(shortened);

/** The same of a text that no schema reads. */
export const asWord = (text: string): string => shortened(storable(text));

function shortened(text: string): string {
  const said = text.length > WORD_MAX ? text.trim() : text;
  return said.length > WORD_MAX ? `${said.slice(0, WORD_MAX).toWellFormed()}\u2026` : said;
}

/** A word, or a currency code, that may be absent: compared, so that it is read in capitals. */
export const optionalWord = optionalText.transform((value) => inCapitals(shortened(value ?? '')) || undefined);

export const inCapitals = (word: string): string => word.trim().toUpperCase();

/** As a number or digits. */
const wholeNumber = z
  .union([z.number(), z.string().regex(/^\d+$/)])
  .transform(Number)
  .pipe(z.number().int().nonnegative());

/** Epoch milliseconds. */
const timestamp = wholeNumber;

export const optionalTimestamp = z
  .union([timestamp, z.literal('')])
  .nullish()
  .transform((value) => (value === '' ? undefined : (value ?? undefined)));

/** A count as a number or digits; null means absent, never 0. */
const optionalCount = wholeNumber.nullish().transform((count) => count ?? undefined);

/** NaN: shown, but not readable, which must not count as "not shown". */
const pageNumber = optionalCount.catch(Number.NaN);

/** Upper case, as currency codes are compared. */
export const currencyCode = z.string().trim().toUpperCase().min(3).max(3);

/**
 * A page of a list. `pages` and `total` may be missing: readers then continue until an empty page. A page with neither records
 * nor a total does not mean an empty list; it is an error. A record read as `UNREADABLE` is left out, and the page proves nothing.
 */
export const pageOf = <T extends z.ZodType>(record: T) =>
  z
    .object({
      total: pageNumber,
      page: pageNumber,
      pages: optionalCount.catch(undefined),
      page_size: pageNumber,
      records: z.array(record).nullish(),
    })
    .refine(({ total, records }) => total !== undefined || records !== undefined, { path: ['records'] })
    .transform(({ records, ...numbers }): Page<Readable<z.infer<T>>> => {
      const shown = records ?? [];
      const readable = shown.filter((one): one is Readable<z.infer<T>> => one !== UNREADABLE);
      const page: Page<Readable<z.infer<T>>> = { pages: numbers.pages, records: readable };
      if (readable.length < shown.length) page.doubt = LIST_DOUBTS.record;
      for (const name of ['total', 'page', 'page_size'] as const) {
        if (Number.isNaN(numbers[name])) page.doubt = LIST_DOUBTS.numbers;
        else page[name] = numbers[name];
      }
      return page;
    });

/** A record of which not even the id can be read. */
export const UNREADABLE = Symbol('unreadable');
type Readable<T> = Exclude<T, typeof UNREADABLE>;

export type Page<T> = {
  total?: number | undefined;
  page?: number | undefined;
  pages?: number | undefined;
  page_size?: number | undefined;
  records: T[];
  /** Why the page proves nothing. */
  doubt?: ListDoubt | undefined;
};
