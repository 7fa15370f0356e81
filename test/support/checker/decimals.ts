/** Exact decimals, written for the checker alone. */

const PLAIN = /^(-?)(\d+)(?:\.(\d+))?$/;
const SCALE = 12;

/** Minor-unit decimals of ISO 4217 other than two, as far as a run uses such currencies. */
const DECIMALS: Readonly<Record<string, number>> = { JPY: 0, KRW: 0, CLP: 0, BHD: 3, KWD: 3, TND: 3 };

/** The value times 10^12; undefined for anything but a plain decimal of at most twelve places. */
export function unitsOf(text: unknown): bigint | undefined {
  const match = typeof text === 'string' ? PLAIN.exec(text) : null;
  const fraction = match?.[3] ?? '';
  if (match === null || fraction.length > SCALE) return undefined;
  const units = BigInt(`${match[2]}${fraction.padEnd(SCALE, '0')}`);
  return match[1] === '-' ? -units : units;
}

export function sameAmount(a: unknown, b: unknown): boolean {
  const left = unitsOf(a);
  return left !== undefined && left === unitsOf(b);
}

/** Whether a text may be money of a currency: no sign, no exponent, no more places than the currency has. */
export function isMoneyText(text: unknown, currency: string): boolean {
  const match = typeof text === 'string' ? /^\d+(?:\.(\d+))?$/.exec(text) : null;
  return match !== null && (match[1] ?? '').length <= (DECIMALS[currency] ?? 2);
}

/** Sum in units of 10^-12; a text that is no decimal counts as undefined for the whole. */
export function sumOf(texts: readonly string[]): bigint | undefined {
  return texts.reduce<bigint | undefined>((sum, text) => {
    const units = unitsOf(text);
    return sum === undefined || units === undefined ? undefined : sum + units;
  }, 0n);
}
