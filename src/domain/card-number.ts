/** Whether a text is 12 to 19 digits with a valid Luhn sum (ISO/IEC 7812-1, annex B). */
export function isCardNumber(text: string): boolean {
  if (!/^\d{12,19}$/.test(text)) return false;
  let sum = 0;
  for (const [index, digit] of [...text].reverse().entries()) {
    const weighed = Number(digit) * (index % 2 === 0 ? 1 : 2);
    sum += weighed > 9 ? weighed - 9 : weighed;
  }
  return sum % 10 === 0;
}

/** One segment of a path, and not a dot segment of it. */
const REQUEST_ID = /^(?!\.{1,2}$)[A-Za-z0-9._~-]{1,64}$/;

/** Ids are logged and stored: one that may be a card number is none. */
export const isMerchantRequestId = (text: string): boolean => REQUEST_ID.test(text) && !isCardNumber(text);
