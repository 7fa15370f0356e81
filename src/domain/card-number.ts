/** Whether a text is 12 to 19 digits with a valid Luhn sum (ISO/IEC 7812-1, annex B). */
export function isCardNumber(text: string): boolean {
  if (!/^\d{12,19}$/.test(text)) return false;
  let sum = 0;
  for (const [index, digit] of [...text].reverse().entries()) {
    const doubled = Number(digit) * (index % 2 === 0 ? 1 : 2);
    sum += doubled > 9 ? doubled - 9 : doubled;
  }
  return sum % 10 === 0;
}

/** UUIDs and digests: digits are adjacent in them by chance. */
export const HEX_ID = /(?<![0-9a-z])(?:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-f]{32,})(?![0-9a-z])/gi;
/** Digits in groups, as people write card numbers. */
const GROUPED_DIGITS = /\d+(?:[\s._~\-\u2010-\u2015]{1,3}\d+)*/g;
/** First digits used by the card schemes (ISO/IEC 7812: 3, 4, 5, 6; Mastercard also 2221 to 2720). */
const ISSUED = /^(?:[3-6]|222[1-9]|22[3-9]|2[3-6]|27[01]|2720)\d*$/;
const DIGITS_MIN = 13;
const DIGITS_MAX = 19;

/**
 * Whether a text holds a card number, in one piece or in groups. For ids and free text, which are stored and shown. Other groups
 * of digits may be next to it (an expiry, an order number), so every run of groups is tried.
 */
export function holdsCardNumber(text: string): boolean {
  for (const [run] of text.replace(HEX_ID, ' ').matchAll(GROUPED_DIGITS)) {
    const groups = run.split(/\D+/);
    for (const from of groups.keys()) {
      let digits = '';
      for (const group of groups.slice(from, from + DIGITS_MAX)) {
        digits += group;
        if (digits.length > DIGITS_MAX) break;
        if (digits.length >= DIGITS_MIN && ISSUED.test(digits) && isCardNumber(digits)) return true;
      }
    }
  }
  return false;
}

/** One path segment, and not a dot segment. */
const REQUEST_ID = /^(?!\.{1,2}$)[A-Za-z0-9._~-]{1,64}$/;

/**
 * A version 5 UUID, like order references and our own further request ids. Sends are recorded by these ids, so one from a caller
 * could collide with ours.
 */
const DERIVED_ID = /^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i;

/**
 * Whether a caller's id is acceptable. Ids are logged and stored, so it must not be or hold a card number, nor be one that we may
 * have derived.
 */
export const isMerchantRequestId = (text: string): boolean =>
  REQUEST_ID.test(text) && !DERIVED_ID.test(text) && !isCardNumber(text) && !holdsCardNumber(text);

/** A card as pages, backends and `--card-from` pass it. The number is a test number of the sandbox and belongs to nobody. */
export const CARD_EXAMPLE =
  '{"number":"4000 0000 1000 0000","expiry_month":"12","expiry_year":"2031","cvv":"123","holder_name":"Alice Example"}';
