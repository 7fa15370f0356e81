import { composeIBAN, getCountrySpecifications, isQRIBAN, ValidationErrorsIBAN, validateIBAN } from 'ibantools';

/** Identifiers of accounts and banks, and references of payment schemes: what can be known to be wrong with them. */

/** Blanks and case carry no meaning. */
const compact = (text: string): string => text.replace(/\s+/g, '').toUpperCase();

export type IbanFault = 'not-an-iban' | 'iban-country' | 'iban-length' | 'iban-structure' | 'iban-check-digits';

/** The first fault of an IBAN by ISO 13616 and the registry of its country, the most certain first; undefined if there is none. */
export function ibanFault(text: string): IbanFault | undefined {
  const iban = compact(text);
  if (!/^[A-Z]{2}\d{2}[A-Z0-9]{1,30}$/.test(iban)) return 'not-an-iban';
  const { errorCodes } = validateIBAN(iban);
  return FAULTS.find(([code]) => errorCodes.includes(code))?.[1];
}

/**
 * An IBAN of zeros in the form of its country, which no bank has given; of Germany for a country without IBANs, or where zeros have a
 * check digit of the country's own.
 */
export function sampleIban(country: string): string {
  const form = COUNTRIES[country]?.bban_regexp ?? '';
  const bban = [...form.matchAll(/\[([^\]]+)\]\{(\d+)\}/g)]
    .map(([, characters = '', length]) => (characters.includes('0-9') ? '0' : 'A').repeat(Number(length)))
    .join('');
  const iban = bban === '' ? null : composeIBAN({ countryCode: country, bban });
  return iban !== null && ibanFault(iban) === undefined ? iban : 'DE36000000000000000000';
}

const FAULTS: readonly (readonly [code: ValidationErrorsIBAN, fault: IbanFault])[] = [
  [ValidationErrorsIBAN.NoIBANCountry, 'iban-country'],
  [ValidationErrorsIBAN.WrongBBANLength, 'iban-length'],
  [ValidationErrorsIBAN.WrongBBANFormat, 'iban-structure'],
  [ValidationErrorsIBAN.WrongIBANChecksum, 'iban-check-digits'],
  [ValidationErrorsIBAN.WrongAccountBankBranchChecksum, 'iban-structure'],
];

/** ISO 9362: four letters or digits, a country, two letters or digits, and three more for a branch. */
const BIC = /^[A-Z0-9]{4}([A-Z]{2})[A-Z0-9]{2}([A-Z0-9]{3})?$/;

/** By IBAN country: territories whose banks have IBANs of that country and a country of their own in the BIC. */
const TERRITORIES: Readonly<Record<string, readonly string[]>> = {
  FI: ['AX'],
  FR: ['BL', 'GF', 'GP', 'MF', 'MQ', 'NC', 'PF', 'PM', 'RE', 'TF', 'WF', 'YT'],
  GB: ['GG', 'IM', 'JE'],
};

/** What is wrong with a BIC by itself, or beside the IBAN of the account: its bank is in the IBAN's country. */
export function bicFault(text: string, iban: string | undefined): 'bic-form' | 'bic-country' | undefined {
  const [matched, country = ''] = BIC.exec(compact(text)) ?? [];
  if (matched === undefined || !Object.hasOwn(COUNTRIES, country)) return 'bic-form';
  if (iban === undefined || ibanFault(iban) !== undefined) return undefined;
  const ofIban = compact(iban).slice(0, 2);
  return country === ofIban || TERRITORIES[ofIban]?.includes(country) ? undefined : 'bic-country';
}

const COUNTRIES = getCountrySpecifications();

/** Digits of domestic bank codes by the bank's field names. */
const CODE_DIGITS: Readonly<Record<string, number>> = { aba_routing_code: 9, bsb: 6, sort_code: 6 };
export const BANK_CODES: readonly string[] = Object.keys(CODE_DIGITS);

/** `lost-leading-zeros`: fewer digits than the code has, as spreadsheets leave them. */
export function bankCodeFault(
  field: string,
  text: string,
): 'lost-leading-zeros' | 'bank-code-form' | 'routing-check-digit' | undefined {
  const code = text.replace(/[\s-]/g, '');
  const digits = CODE_DIGITS[field] ?? code.length;
  if (!/^\d+$/.test(code) || code.length > digits) return 'bank-code-form';
  if (code.length < digits) return 'lost-leading-zeros';
  return field === 'aba_routing_code' && !isRoutingNumber(code) ? 'routing-check-digit' : undefined;
}

/** ABA routing number: its nine digits, weighted 3, 7 and 1 in turn, add up to a multiple of ten. */
export const isRoutingNumber = (text: string): boolean => /^\d{9}$/.test(text) && weighted(text, [3, 7, 1]) % 10 === 0;

/** E.164: at most 15 digits, the first of which begin a country code and so are not zero. */
export const isPhoneNumber = (text: string): boolean =>
  /^(?:\+|00)?[1-9]\d{6,14}$/.test(text.replace(/\(0\)|[\s().\-/]/g, ''));

/** Forms of postcodes, without blanks and hyphens; of countries that are not listed, nothing is known. */
const POSTCODES: Readonly<Record<string, RegExp>> = Object.fromEntries(
  Object.entries({
    'AT AU BE BG CH CY DK GE HU LI LU LV MK NO NZ PH SI TN ZA': /^\d{4}$/,
    'CU DE EE ES FI FR GR HR ID IT JO KE KR KW LT MA ME MX MY PK RS SE SK CZ TH TR UA VA SM MC': /^\d{5}$/,
    'BY CN CO IN KZ RO RU SG EC UZ': /^\d{6}$/,
    BR: /^\d{8}$/,
    CA: /^[A-Z]\d[A-Z]\d[A-Z]\d$/,
    GB: /^[A-Z]{1,2}\d[A-Z\d]?\d[A-Z]{2}$/,
    IE: /^[A-Z]\d[\dW][A-Z\d]{4}$/,
    IL: /^\d{5}(?:\d{2})?$/,
    JP: /^\d{7}$/,
    MT: /^[A-Z]{3}\d{2,4}$/,
    NL: /^\d{4}[A-Z]{2}$/,
    PL: /^\d{5}$/,
    PT: /^\d{4}(?:\d{3})?$/,
    US: /^\d{5}(?:\d{4})?$/,
  }).flatMap(([countries, form]) => countries.split(' ').map((country) => [country, form])),
);

/** Whether a postcode may be one of the country (ISO 3166 alpha-2); a country before it, as in `D-60311`, is no part of it. */
export function isPostcode(text: string, country: string): boolean {
  const form = POSTCODES[country.toUpperCase()];
  const code = text
    .toUpperCase()
    .replace(/^[A-Z]{1,2}-(?=\d)/, '')
    .replace(/[\s-]/g, '');
  return form === undefined || form.test(code) || (code.startsWith(country) && form.test(code.slice(country.length)));
}

/** A structured reference of a payment, by the form of the text. */
type Reference =
  /** ISO 11649, any country. */
  | 'RF'
  /** Of a Swiss QR bill. */
  | 'QRR'
  /** Belgian structured communication. */
  | 'OGM'
  /** Digits only: a reference of the country of the account, if that has them. */
  | 'national';

/** ISO 11649, Swiss implementation guidelines QR bill, Febelfin: what a text says that it is; undefined for any other text. */
function referenceKind(text: string): Reference | undefined {
  const code = compact(text);
  // In one piece or in groups of four, as it is printed: other texts may begin like it.
  if (/^RF\d{2}(?: ?[A-Z0-9]{4}){0,5}(?: ?[A-Z0-9]{1,4})?$/i.test(text.trim()) && code.length > 4) return 'RF';
  if (/^\d{27}$/.test(code)) return 'QRR';
  if (/^(\+{3}|\*{3})\d{3}\/\d{4}\/\d{5}\1$/.test(code)) return 'OGM';
  return undefined;
}

/** References that consist of digits, by the country of the payee's account, where the reference is written as such. */
const NATIONAL: Readonly<Record<string, (digits: string) => boolean>> = {
  BE: (digits) => digits.length !== 12 || isOgm(digits),
  EE: (digits) => digits.length < 2 || digits.length > 20 || is731(digits),
  FI: (digits) => digits.length < 4 || digits.length > 20 || is731(digits),
  NO: (digits) => digits.length < 2 || digits.length > 25 || isLuhn(digits) || isModulo11(digits),
};

const CHECKS: Readonly<Record<Reference, (code: string, country: string) => boolean>> = {
  RF: (code) =>
    remainder97([...code.slice(4), ...code.slice(0, 4)].map((char) => Number.parseInt(char, 36)).join('')) === 1,
  QRR: (code) => isRecursive10(code),
  OGM: (code) => isOgm(code.replace(/\D/g, '')),
  national: (code, country) => NATIONAL[country]?.(code) ?? true,
};

export type ReferenceFault = 'reference-check-digits' | 'reference-account' | 'reference-missing';

/**
 * What is wrong with the reference of a payment. `isStructured`: it is written as a reference, not as free text, which is judged only
 * if it has the form of one. Swiss rules: a QR reference belongs to a QR-IBAN, and such an account takes no other.
 */
export function referenceFault(
  text: string | undefined,
  iban: string | undefined,
  isStructured = false,
): ReferenceFault | undefined {
  const code = compact(text ?? '');
  const ofIban = iban === undefined || ibanFault(iban) !== undefined ? '' : compact(iban);
  const country = ofIban.slice(0, 2);
  const isNational = isStructured && /^\d+$/.test(code) && Object.hasOwn(NATIONAL, country);
  const kind = isNational ? 'national' : referenceKind(text ?? '');
  // 27 digits are a QR reference only where there are QR bills.
  const isQr = kind === 'QRR' && (isStructured || SWISS.has(country));
  if (kind !== undefined && (kind !== 'QRR' || isQr) && !CHECKS[kind](code, country)) return 'reference-check-digits';
  const isQrAccount = SWISS.has(country) && isQRIBAN(ofIban);
  if (ofIban !== '' && isQr !== isQrAccount) {
    if (isQr || kind === 'RF') return 'reference-account';
    if (isQrAccount) return 'reference-missing';
  }
  return undefined;
}

const SWISS: ReadonlySet<string> = new Set(['CH', 'LI']);

const remainder97 = (digits: string): number => Number(BigInt(digits) % 97n);

/** The last two digits are the remainder of the ten before them, 97 for none. */
const isOgm = (digits: string): boolean => (remainder97(digits.slice(0, 10)) || 97) === Number(digits.slice(10));

const CARRIES = [0, 9, 4, 6, 8, 2, 7, 1, 3, 5];

/** Modulo 10, recursive: the last digit completes the carry of those before it. */
function isRecursive10(digits: string): boolean {
  const carry = [...digits.slice(0, -1)].reduce((sum, digit) => CARRIES[(sum + Number(digit)) % 10] ?? 0, 0);
  return (10 - carry) % 10 === Number(digits.at(-1));
}

/** Digits times weights, which begin again when they are used up. */
const weighted = (digits: string, weights: readonly number[]): number =>
  [...digits].reduce((sum, digit, index) => sum + Number(digit) * (weights[index % weights.length] ?? 0), 0);

const reversed = (digits: string): string => [...digits].reverse().join('');

/** The last digit completes the others, weighted 7, 3 and 1 from the right, to a multiple of ten. */
const is731 = (digits: string): boolean => weighted(reversed(digits), [1, 7, 3]) % 10 === 0;

function isLuhn(digits: string): boolean {
  const parts = [...reversed(digits)].map((digit, index) => Number(digit) * (index % 2 === 0 ? 1 : 2));
  return parts.reduce((sum, part) => sum + (part > 9 ? part - 9 : part), 0) % 10 === 0;
}

/** The last digit completes the others, weighted 2 to 7 from the right, to a multiple of eleven. */
const isModulo11 = (digits: string): boolean =>
  (weighted(reversed(digits.slice(0, -1)), [2, 3, 4, 5, 6, 7]) + Number(digits.at(-1))) % 11 === 0;
