/**
 * ISO 4217 codes by their number of decimals. `Intl` is not used: its display digits differ from ISO 4217 (HUF, IDR, PKR, COP).
 */
const CODES_BY_EXPONENT: Readonly<Record<number, string>> = {
  0: 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF',
  2: 'AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BGN BMD BND BOB BOV BRL BSD BTN BWP BYN BZD CAD CDF CHE CHF CHW CNY COP COU CRC CUP CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GTQ GYD HKD HNL HTG HUF IDR ILS INR IRR JMD KES KGS KHR KPW KYD KZT LAK LBP LKR LRD LSL MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MXV MYR MZN NAD NGN NIO NOK NPR NZD PAB PEN PGK PHP PKR PLN QAR RON RSD RUB SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TOP TRY TTD TWD TZS UAH USD USN UYU UZS VED VES WST XCD XCG YER ZAR ZMW ZWG',
  3: 'BHD IQD JOD KWD LYD OMR TND',
  4: 'CLF UYW',
};

const EXPONENTS: ReadonlyMap<string, number> = new Map(
  Object.entries(CODES_BY_EXPONENT).flatMap(([exponent, codes]) =>
    codes.split(' ').map((code): [string, number] => [code, Number(exponent)]),
  ),
);

/** Decimal places of a currency (ISO 4217), or `undefined` for a code the standard does not list. */
export function currencyExponent(currency: string): number | undefined {
  return EXPONENTS.get(currency);
}

/** Every ISO 4217 code that can carry an amount. */
export function currencyCodes(): string[] {
  return [...EXPONENTS.keys()].sort();
}

/**
 * Money is a decimal string outside and bigint minor units inside; no float ever holds an amount. Amounts in the bank's answers
 * may have any scale ("10", "10.0000000000"), so they are compared as decimals.
 */

export type AmountFinding = 'not-a-decimal' | 'not-positive' | 'unknown-currency' | 'too-many-decimals' | 'too-large';

type ParsedAmount = { ok: true; minor: bigint } | { ok: false; rule: AmountFinding };

const DECIMAL = /^(\d+)(?:\.(\d+))?$/;
const SIGNED_DECIMAL = /^([+-]?)(\d+)(?:\.(\d+))?$/;

/** An amount with more integer digits than this is a typing error or an attack, never a payout. */
const AMOUNT_DIGITS_MAX = 18;

/**
 * Reads an instructed amount (`"1250.00"`) into minor units of `currency` without rounding.
 * More decimals than ISO 4217 gives the currency is a finding, even when they are zeros.
 */
export function parseAmount(text: string, currency: string): ParsedAmount {
  const exponent = currencyExponent(currency);
  if (exponent === undefined) return { ok: false, rule: 'unknown-currency' };
  const match = DECIMAL.exec(text);
  if (match === null) return { ok: false, rule: 'not-a-decimal' };
  const [, whole = '', fraction = ''] = match;
  if (fraction.length > exponent) return { ok: false, rule: 'too-many-decimals' };
  if (whole.replace(/^0+/, '').length > AMOUNT_DIGITS_MAX) return { ok: false, rule: 'too-large' };
  const minor = BigInt(whole + fraction.padEnd(exponent, '0'));
  return minor > 0n ? { ok: true, minor } : { ok: false, rule: 'not-positive' };
}

/** Minor units as a decimal string with the currency's own number of decimals (`125000n` USD -> `"1250.00"`). */
export function formatMinor(minor: bigint, currency: string): string {
  const exponent = currencyExponent(currency) ?? 2;
  return formatDecimal({ digits: minor, scale: exponent });
}

/** An exact decimal: `digits / 10^scale`. */
export interface Decimal {
  digits: bigint;
  scale: number;
}

/** Reads any plain decimal, of either sign and any scale; `undefined` for everything else ("1e5", "", "1,000"). */
export function parseDecimal(text: string): Decimal | undefined {
  const match = SIGNED_DECIMAL.exec(text);
  if (match === null) return undefined;
  const [, sign = '', whole = '', fraction = ''] = match;
  const digits = BigInt(whole + fraction);
  return { digits: sign === '-' ? -digits : digits, scale: fraction.length };
}

export function formatDecimal({ digits, scale }: Decimal): string {
  const sign = digits < 0n ? '-' : '';
  const text = (digits < 0n ? -digits : digits).toString().padStart(scale + 1, '0');
  return scale === 0 ? sign + text : `${sign}${text.slice(0, -scale)}.${text.slice(-scale)}`;
}

function aligned(a: Decimal, b: Decimal): [bigint, bigint, number] {
  const scale = Math.max(a.scale, b.scale);
  return [a.digits * 10n ** BigInt(scale - a.scale), b.digits * 10n ** BigInt(scale - b.scale), scale];
}

/** -1, 0 or 1; `undefined` if either text is not a plain decimal. */
export function compareDecimals(a: string, b: string): -1 | 0 | 1 | undefined {
  const left = parseDecimal(a);
  const right = parseDecimal(b);
  if (left === undefined || right === undefined) return undefined;
  const [x, y] = aligned(left, right);
  return x === y ? 0 : x < y ? -1 : 1;
}

/** Whether both are numerically equal at any scale; false if either text is not a plain decimal. */
export function decimalsEqual(a: string, b: string): boolean {
  return compareDecimals(a, b) === 0;
}

/** Whether a decimal lies between two others, or is one of them; false if one of the texts is not a plain decimal. */
export const isBetween = (value: string, atLeast: string, atMost: string): boolean =>
  [compareDecimals(atLeast, value), compareDecimals(value, atMost)].every((order) => order === -1 || order === 0);

/** The smaller of two; the first if one is not a plain decimal. */
export const leastOf = (a: string, b: string): string => (compareDecimals(b, a) === -1 ? b : a);

/** Exact sum of plain decimal strings at the widest scale among them. Throws a RangeError on anything else. */
export const addDecimals = (...texts: string[]): string => sumDecimals(texts);

/** The same for any number of texts: a call accepts only about 100,000 arguments. */
export function sumDecimals(texts: Iterable<string>): string {
  let sum: Decimal = { digits: 0n, scale: 0 };
  for (const text of texts) {
    const value = parseDecimal(text);
    if (value === undefined) throw new RangeError('not a plain decimal');
    const [x, y, scale] = aligned(sum, value);
    sum = { digits: x + y, scale };
  }
  return formatDecimal(sum);
}

/** `of` times `to` by `from`, rounded up in the last place of `of`; "0" if `from` is. Of decimals that are not negative. */
export function inProportion(of: string, to: string, from: string): string {
  const [value, whole, part] = [of, to, from].map((text) => parseDecimal(text) ?? { digits: 0n, scale: 0 });
  if (value === undefined || whole === undefined || part === undefined || part.digits === 0n) return '0';
  const by = part.digits * 10n ** BigInt(whole.scale);
  const digits = (value.digits * whole.digits * 10n ** BigInt(part.scale) + by - 1n) / by;
  return formatDecimal({ digits, scale: value.scale });
}

/** Without its sign: some banks write debits with a minus (interface section 2 does not show whether). */
export const unsigned = (text: string): string => text.replace(/^-/, '');

/**
 * Whether `actual` is worse than `quoted` by more than `cap` (a fraction: `"0.01"` is one per cent), for a price that should be
 * low. Exact: `actual > quoted * (1 + cap)` in integers. A text that is not a decimal counts as exceeded.
 */
export function exceedsSlippage(quoted: string, actual: string, cap: string): boolean {
  const [q, a, c] = [parseDecimal(quoted), parseDecimal(actual), parseDecimal(cap)];
  if (q === undefined || a === undefined || c === undefined) return true;
  const limit: Decimal = {
    digits: q.digits * (10n ** BigInt(c.scale) + c.digits),
    scale: q.scale + c.scale,
  };
  const [x, y] = aligned(a, limit);
  return x > y;
}

/**
 * Splits a whole in proportion to weights, in minor units, by largest remainder: each part is its exact share, rounded down or up,
 * and the parts add up to the whole. Of equal remainders the earlier part is rounded up. All are 0 or more; weights of 0 count as
 * equal ones.
 */
export function allot(whole: bigint, weights: readonly bigint[]): bigint[] {
  const sum = weights.reduce((total, weight) => total + weight, 0n);
  if (sum === 0n) return weights.length === 0 ? [] : allot(whole, Array(weights.length).fill(1n));
  const shares = weights.map((weight, at) => ({ at, part: (whole * weight) / sum, rest: (whole * weight) % sum }));
  const left = Number(whole - shares.reduce((total, { part }) => total + part, 0n));
  const up = new Set(
    shares
      .toSorted((a, b) => (a.rest === b.rest ? a.at - b.at : a.rest < b.rest ? 1 : -1))
      .slice(0, left)
      .map(({ at }) => at),
  );
  return shares.map(({ at, part }) => part + (up.has(at) ? 1n : 0n));
}

export interface Sum {
  currency: string;
  /** Decimal string with the currency's decimals. */
  amount: string;
}

export interface Total extends Sum {
  count: number;
}

/** Adds up amounts one by one, by currency. */
export class Totals {
  readonly #sums = new Map<string, Total>();

  /** `key`: what is added up apart, of one currency. */
  add({ currency, amount }: Sum, key = currency): void {
    const { count, amount: sum } = this.#sums.get(key) ?? { count: 0, amount: formatMinor(0n, currency) };
    this.#sums.set(key, { currency, count: count + 1, amount: addDecimals(sum, amount) });
  }

  /** Sorted by key. */
  entries(): [key: string, Total][] {
    return [...this.#sums].sort(([a], [b]) => (a < b ? -1 : 1));
  }

  /** Sorted by currency. */
  list(): Total[] {
    return this.entries().map(([, total]) => total);
  }
}

export function totalsOf(rows: Iterable<Sum>): Total[] {
  const totals = new Totals();
  for (const row of rows) totals.add(row);
  return totals.list();
}

/** With thousands separators: `1234567.50` -> `1,234,567.50`. */
export function groupedAmount(amount: string | number): string {
  const [whole = '', fraction] = `${amount}`.split('.');
  const grouped = whole.replace(/\B(?=(?:\d{3})+$)/g, ',');
  return fraction === undefined ? grouped : `${grouped}.${fraction}`;
}
