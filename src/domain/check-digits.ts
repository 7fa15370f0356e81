const IBAN = /^([A-Z]{2}\d{2})([A-Z0-9]{8,30})$/;
const ROUTING_WEIGHTS = [3, 7, 1];

/**
 * ISO 13616: with the first four characters moved to the end and letters as numbers, the remainder modulo 97 is 1. False for a
 * text that is no IBAN.
 */
export function hasIbanCheckDigits(iban: string): boolean {
  const [, head = '', rest = ''] = IBAN.exec(iban.replace(/\s+/g, '').toUpperCase()) ?? [];
  if (head === '') return false;
  const digits = (rest + head).replace(/[A-Z]/g, (letter) => `${letter.charCodeAt(0) - 55}`);
  return BigInt(digits) % 97n === 1n;
}

/** ABA routing number: its nine digits, weighted 3, 7 and 1 in turn, add up to a multiple of ten. */
export function isRoutingNumber(text: string): boolean {
  if (!/^\d{9}$/.test(text)) return false;
  return [...text].reduce((sum, digit, index) => sum + Number(digit) * (ROUTING_WEIGHTS[index % 3] ?? 0), 0) % 10 === 0;
}
