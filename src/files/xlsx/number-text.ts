/** Excel keeps 15 significant digits of a typed number (Excel specifications and limits). */
const DIGITS_KEPT = 15;
/** Far above any amount: larger numbers are not written out. */
const MAGNITUDE_MAX = 40;
const NUMBER = /^(-?)(\d{1,400})(?:\.(\d{1,400}))?(?:[eE]([+-]?\d{1,3}))?$/;

interface NumberText {
  text: string;
  /** More digits may have been typed than the cell has kept. */
  mayHaveLostDigits: boolean;
}

/**
 * The exact decimal of a number cell. A workbook stores a double with up to 17 digits (1250.10 as `1250.0999999999999`); what was
 * typed, and is shown, is that number at 15 digits. The digits are rounded, never a float. Undefined if the text is not a number.
 */
export function numberText(raw: string): NumberText | undefined {
  const [, sign = '', whole = '', fraction = '', power = '0'] = NUMBER.exec(raw) ?? [];
  if (whole === '') return undefined;
  const written = `${whole}${fraction}`.replace(/^0+/, '');
  let { digits, exponent } = rounded(written, Number(power) - fraction.length);
  const kept = digits.replace(/0+$/, '');
  exponent += digits.length - kept.length;
  digits = kept;
  if (digits === '') return { text: '0', mayHaveLostDigits: false };
  const before = digits.length + exponent;
  if (Math.abs(before) > MAGNITUDE_MAX || -exponent > MAGNITUDE_MAX) return { text: raw, mayHaveLostDigits: true };
  // Other programs than Excel keep more: with so many digits before the point, cents were rounded off.
  const isCents = before > DIGITS_KEPT - 2 && /[1-9]/.test(written.slice(DIGITS_KEPT));
  const mayHaveLostDigits = before > DIGITS_KEPT || isCents || (exponent < 0 && digits.length === DIGITS_KEPT);
  return { text: `${sign}${plain(digits, exponent)}`, mayHaveLostDigits };
}

/** Rounds half up at the last digit kept. */
function rounded(digits: string, exponent: number): { digits: string; exponent: number } {
  const surplus = digits.length - DIGITS_KEPT;
  if (surplus <= 0) return { digits, exponent };
  const up = (digits[DIGITS_KEPT] ?? '0') >= '5' ? 1n : 0n;
  return { digits: `${BigInt(digits.slice(0, DIGITS_KEPT)) + up}`, exponent: exponent + surplus };
}

function plain(digits: string, exponent: number): string {
  if (exponent >= 0) return digits + '0'.repeat(exponent);
  const padded = digits.padStart(1 - exponent, '0');
  return `${padded.slice(0, exponent)}.${padded.slice(exponent)}`;
}
