/** Values of ISO 20022 elements: text, codes, dates and numbers, as defined by XML Schema. */

/** What is wrong with a value; the message never contains it. */
export interface BadValue {
  rule: string;
  message: string;
}

type ValueCheck = (text: string) => BadValue | undefined;

const bad = (message: string): BadValue => ({ rule: 'bad-value', message });

/** In XML Schema, blanks around dates, numbers and booleans are insignificant; around text they are not. */
const collapsed = (text: string): string => text.replace(/^[ \t\r\n]+|[ \t\r\n]+$/g, '');

/** Text of 1 to `max` characters (not UTF-16 units). */
export const textUpTo =
  (max: number): ValueCheck =>
  (text) => {
    if (text === '') return { rule: 'empty-element', message: 'the element is empty; fill it in or leave it out' };
    if (text.length <= max) return undefined;
    const length = [...text].length;
    return length <= max ? undefined : { rule: 'too-long', message: `${length} characters where ${max} are allowed` };
  };

export const oneOf = (codes: readonly string[]): ValueCheck => {
  const allowed = new Set(codes);
  return (text) => (allowed.has(text) ? undefined : bad(`not one of ${codes.join(', ')}`));
};

const matching =
  (pattern: RegExp, what: string): ValueCheck =>
  (text) =>
    pattern.test(text) ? undefined : bad(`not ${what}`);

const DECIMAL = /^([+-]?)(\d*)(?:\.(\d*))?$/;

/** A decimal of XML Schema (such as `+5`, `.5` or `5.`), as an integer and a number of decimals. */
export function schemaDecimal(text: string): { digits: bigint; scale: number } | undefined {
  const [matched, sign, whole = '', fraction = ''] = DECIMAL.exec(collapsed(text)) ?? [];
  if (matched === undefined || whole + fraction === '') return undefined;
  const digits = BigInt(whole + fraction);
  return { digits: sign === '-' ? -digits : digits, scale: fraction.length };
}

/** Leading and trailing zeros without value are not counted as digits. */
const decimal =
  (totalDigits: number, fractionDigits: number, min?: 0): ValueCheck =>
  (text) => {
    const value = schemaDecimal(text);
    if (value === undefined) return bad('not a decimal number');
    if (min !== undefined && value.digits < 0n) return bad('a negative number');
    const [, , whole = '', fraction = ''] = DECIMAL.exec(collapsed(text)) ?? [];
    const decimals = fraction.replace(/0+$/, '').length;
    if (decimals > fractionDigits) return bad(`more than ${fractionDigits} decimals`);
    return whole.replace(/^0+/, '').length + decimals > totalDigits
      ? bad(`more than ${totalDigits} digits`)
      : undefined;
  };

const ZONE = '(?:Z|[+-](?:0\\d|1[0-3]):[0-5]\\d|[+-]14:00)?';
const DATE = new RegExp(`^(\\d{4})-(\\d{2})-(\\d{2})${ZONE}$`);
const DATE_TIME = new RegExp(
  `^(\\d{4})-(\\d{2})-(\\d{2})T(?:(?:[01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d(?:\\.\\d+)?|24:00:00(?:\\.0+)?)${ZONE}$`,
);

function isDay([, year, month, day]: readonly string[]): boolean {
  const [y, m, d] = [Number(year), Number(month), Number(day)];
  // The calendar repeats every 400 years, and Date.UTC maps years below 100 to the 1900s.
  const daysOfMonth = new Date(Date.UTC(2000 + (y % 400), m, 0)).getUTCDate();
  return y > 0 && m >= 1 && m <= 12 && d >= 1 && d <= daysOfMonth;
}

const calendar =
  (pattern: RegExp, example: string): ValueCheck =>
  (text) => {
    const match = pattern.exec(collapsed(text));
    return match !== null && isDay(match) ? undefined : bad(`not a date such as ${example}`);
  };

const boolean: ValueCheck = (text) =>
  /^(?:true|false|1|0)$/.test(collapsed(text)) ? undefined : bad('neither true nor false');

const CURRENCY = matching(/^[A-Z]{3}$/, 'a currency code of three capital letters');

/** A simple type: the check of its value, and the attributes it must have. */
export interface Leaf {
  check: ValueCheck;
  attributes?: Readonly<Record<string, ValueCheck>>;
}

const TYPES = {
  Amount: { check: decimal(18, 5, 0), attributes: { Ccy: CURRENCY } },
  Bic: { check: matching(/^[A-Z]{6}[A-Z2-9][A-NP-Z0-9](?:[A-Z0-9]{3})?$/, 'a BIC') },
  Bicfi: { check: matching(/^[A-Z0-9]{4}[A-Z]{2}[A-Z0-9]{2}(?:[A-Z0-9]{3})?$/, 'a BIC') },
  Boolean: { check: boolean },
  Country: { check: matching(/^[A-Z]{2}$/, 'a country code of two capital letters') },
  Currency: { check: CURRENCY },
  Date: { check: calendar(DATE, '2026-03-31') },
  /** What follows it is not read. */
  DayOf: { check: calendar(/^(\d{4})-(\d{2})-(\d{2})(?!\d)/, '2026-03-31') },
  DateTime: { check: calendar(DATE_TIME, '2026-03-31T17:00:00') },
  Decimal: { check: decimal(18, 17) },
  FourCharacters: { check: matching(/^[a-zA-Z0-9]{4}$/, 'four letters or digits') },
  Iban: { check: matching(/^[A-Z]{2}\d{2}[a-zA-Z0-9]{1,30}$/, 'an IBAN without spaces') },
  Lei: { check: matching(/^[A-Z0-9]{18}\d{2}$/, 'an LEI') },
  Number: { check: decimal(18, 0) },
  NumericText: { check: matching(/^\d{1,15}$/, 'a count of 1 to 15 digits') },
  Phone: { check: matching(/^\+\d{1,3}-[0-9()+-]{1,30}$/, 'a phone number such as +49-30123456') },
  Rate: { check: decimal(11, 10) },
  TwoDigits: { check: matching(/^\d{2}$/, 'two digits') },
  Uuid: { check: matching(/^[a-f0-9]{8}-[a-f0-9]{4}-4[a-f0-9]{3}-[89ab][a-f0-9]{3}-[a-f0-9]{12}$/, 'a UUID (v4)') },
  Year: { check: matching(new RegExp(`^\\d{4}${ZONE}$`), 'a year such as 2026') },
} satisfies Record<string, Leaf>;

/** By their names in the tables of components. */
export const SIMPLE_TYPES: Readonly<Record<string, Leaf>> = TYPES;

/** The text unchanged if it is of this type, otherwise undefined. */
export const ofType = (type: keyof typeof TYPES, text: string | undefined): string | undefined =>
  text === undefined || TYPES[type].check(text) !== undefined ? undefined : text;
