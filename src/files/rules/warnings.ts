import {
  BANK_CODES,
  bankCodeFault,
  bicFault,
  ibanFault,
  isPhoneNumber,
  isPostcode,
  referenceFault,
} from '../../domain/bank-identifiers.ts';
import { type BusinessCalendar, dueDate, isOpen, KNOWN_BY_RULE } from '../../domain/business-days.ts';
import { isFreeText } from '../../domain/finding.ts';
import type { PayoutInstruction } from '../../domain/instruction.ts';
import type { Broken } from './field-rules.ts';

export interface Days {
  /** UTC, ISO 8601. */
  today: string;
  /** Of the days on which rows are sent. */
  calendar: BusinessCalendar | undefined;
}

/** A long number as Excel shows it and saves it to CSV: its last digits are lost. */
const SCIENTIFIC = /^\d(?:[.,]\d+)?E\+\d{2}$/i;
/** UTF-8 that was read as Windows-1252 and saved again: letters of Western and Central Europe, and typographic quotes. */
const GARBLED = /[ÂÃÄÅ][\u0080-\u00bf€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ]|â€|\ufffd/u;
/** `="00123"` and `'00123` keep zeros in a sheet; in a name an apostrophe may come first ('t Hart). */
const isOfSpreadsheet = (column: string, value: string): boolean =>
  !isFreeText(column) && (value.startsWith('=') || (column === 'id' && value.startsWith("'")));
/** Variation selectors show nothing, and a blank other than the space looks like one. */
const OTHER_APPEARANCE = /\p{Variation_Selector}|[^\S ]/u;
/** Ids are compared byte for byte: written in another way, the same document is another payout. */
const hasAnotherSpelling = (value = ''): boolean => value !== value.normalize('NFC') || OTHER_APPEARANCE.test(value);
/** Free text may have several lines, which is no mistake in a file, but in a payment. */
const LINE_BREAK = /[\n\r\t]/;

/**
 * Probable mistakes, which stop nothing: shown before the plan is confirmed. Only for rows without findings. `reference`: of the
 * payment, where a bank message has it as such.
 */
export function warningsOf(instruction: PayoutInstruction, days: Days, reference?: string): Broken[] {
  const { today, calendar } = days;
  const { execute_on: executeOn, expires_at: expiresAt, currency } = instruction;
  const warnings = identifierWarnings(instruction, reference);
  for (const [column, value = ''] of Object.entries(instruction)) {
    if (SCIENTIFIC.test(value)) warnings.push({ column, ...SCIENTIFIC_NOTATION });
    if (isOfSpreadsheet(column, value)) warnings.push({ column, ...SPREADSHEET_TEXT });
    if (GARBLED.test(value)) warnings.push({ column, ...GARBLED_LETTERS });
    if (isFreeText(column) && LINE_BREAK.test(value)) warnings.push({ column, ...BROKEN_LINE });
  }
  for (const column of ['uid', 'id']) {
    if (hasAnotherSpelling(instruction[column])) warnings.push({ column, ...ANOTHER_SPELLING });
  }
  const due = executeOn && dueDate(executeOn, currency, calendar);
  if (executeOn && due) warnings.push(...dateWarnings({ execute_on: executeOn, currency }, due, days));
  const sentOn = due === undefined || due < today ? today : due;
  if (expiresAt !== undefined && Date.parse(expiresAt) <= Date.parse(sentOn)) {
    warnings.push({ column: 'expires_at', ...EXPIRED });
  }
  return warnings;
}

/** Of the payee's account, bank, telephone and postcode, and of the payment's reference. */
function identifierWarnings(instruction: PayoutInstruction, reference: string | undefined): Broken[] {
  const { iban_no: iban, swift_code: bic, mobile, address_postcode: postcode, address_country: country } = instruction;
  const found: [column: string, rule: IdentifierFault | undefined][] = [
    ['iban_no', iban === undefined ? undefined : ibanFault(iban)],
    ['swift_code', bic === undefined ? undefined : bicFault(bic, iban)],
    ...BANK_CODES.map((column): [string, IdentifierFault | undefined] => {
      const code = instruction[column];
      return [column, code === undefined ? undefined : bankCodeFault(column, code)];
    }),
    ['note', referenceFault(reference ?? instruction.note, iban, reference !== undefined)],
    ['mobile', mobile === undefined || isPhoneNumber(mobile) ? undefined : 'phone-form'],
    [
      'address_postcode',
      postcode === undefined || country === undefined || isPostcode(postcode, country) ? undefined : 'postcode-form',
    ],
  ];
  return found.flatMap(([column, rule]) => (rule === undefined ? [] : [{ column, rule, message: FAULTS[rule] }]));
}

type IdentifierFault =
  | NonNullable<ReturnType<typeof ibanFault | typeof bicFault | typeof bankCodeFault | typeof referenceFault>>
  | 'phone-form'
  | 'postcode-form';

const FAULTS: Readonly<Record<IdentifierFault, string>> = {
  'not-an-iban':
    'this is no IBAN: an IBAN begins with the two letters of a country and two digits; copy it without other text',
  'iban-country': 'no country with IBANs begins like this; compare it with the invoice',
  'iban-length': 'not as many characters as the IBANs of its country have; compare it with the invoice',
  'iban-structure': 'letters and digits are not as in the IBANs of its country; compare it with the invoice',
  'iban-check-digits': 'the check digits are wrong; compare the IBAN with the invoice',
  'bic-form':
    'a BIC has 8 or 11 characters, the fifth and sixth of which are the country of the bank; ask the payee for it',
  'bic-country': 'the BIC is of a bank in another country than the IBAN; compare both with the invoice',
  'lost-leading-zeros':
    'fewer digits than such a code has: Excel may have dropped leading zeros; format the column as Text and type the code again',
  'bank-code-form': 'not a code of this kind: only digits, and not more than it has; compare it with the invoice',
  'routing-check-digit': 'the check digit is wrong; compare the routing number with the invoice',
  'reference-check-digits': 'the check digits of the reference are wrong; copy it from the invoice again',
  'reference-account':
    'the reference does not go with this account: a QR reference needs a QR-IBAN, and a QR-IBAN takes no other reference; copy both from the invoice',
  'reference-missing':
    'a QR-IBAN is paid only with the QR reference of the invoice (27 digits) and no other text; write it as note',
  'phone-form': 'not a telephone number with its country code; write it as +41791234567',
  'postcode-form': 'not a postcode of the country in the address; compare it with the invoice',
};

function dateWarnings(
  { execute_on: executeOn, currency }: { execute_on: string; currency: string },
  due: string,
  { today, calendar }: Days,
): Broken[] {
  const column = 'execute_on';
  if (due < today) return [{ column, ...PAST }];
  if (due > inAYear(today)) return [{ column, ...FAR_AHEAD }];
  if (due !== executeOn)
    return [{ column, rule: 'closed-day', message: `not a business day of the currency; sent on ${due}` }];
  return calendar !== undefined || isOpen(executeOn, currency, KNOWN_BY_RULE) ? [] : [{ column, ...NO_CALENDAR }];
}

const inAYear = (today: string): string => `${Number(today.slice(0, 4)) + 1}${today.slice(4)}`;

const BROKEN_LINE = {
  rule: 'line-break',
  message: 'the text has a line break or a tab, which payment networks do not carry; write it on one line',
};
const SCIENTIFIC_NOTATION = {
  rule: 'scientific-notation',
  message:
    'Excel has shortened the number and lost its last digits; format the column as Text and type the number again',
};
const SPREADSHEET_TEXT = {
  rule: 'spreadsheet-text',
  message:
    'the value begins with = or an apostrophe, which belongs to the spreadsheet and not to the value; export the plain value, or it is another id or payee than elsewhere',
};
const GARBLED_LETTERS = {
  rule: 'garbled-letters',
  message:
    'letters seem to have been changed when the file was converted, such as Ã¼ for ü; export it again as UTF-8 and compare',
};
const ANOTHER_SPELLING = {
  rule: 'another-spelling',
  message:
    'the value has accents as separate characters, an invisible character or a blank that is no plain space; ids are compared byte for byte, so the same document written in another way would be another payout',
};
const EXPIRED = {
  rule: 'expires-before-sent',
  message: 'the time is over before the payout is sent: where the bank audits the order, nobody can approve it in time',
};
const PAST = { rule: 'date-in-the-past', message: 'the date is in the past; the payout is sent at once' };
const FAR_AHEAD = {
  rule: 'date-far-ahead',
  message: 'the date is more than a year ahead, and the payout waits until then; compare the year with the invoice',
};
const NO_CALENDAR = {
  rule: 'closed-day',
  message:
    'a weekend or a day on which the payment systems of the currency are closed, and no calendar is set (PAYOUTS_HOLIDAYS): the payout is sent on that day, and the bank may pay later',
};
