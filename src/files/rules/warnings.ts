import { isFreeText } from '../../domain/finding.ts';
import type { PayoutInstruction } from '../../domain/instruction.ts';
import { hasIbanCheckDigits, isRoutingNumber } from '../../domain/payee.ts';
import type { Broken } from './field-rules.ts';

export interface Days {
  /** UTC, ISO 8601. */
  today: string;
  /** The day on which a row with this execution date is sent. */
  dueDate(executeOn: string, currency: string): string;
}

const IBAN_LIKE = /^[A-Z]{2}\d{2}[A-Z0-9 ]{8,}$/i;
/** A long number as Excel shows it and saves it to CSV: its last digits are lost. */
const SCIENTIFIC = /^\d(?:[.,]\d+)?E\+\d{2}$/i;
/** UTF-8 that was read as Windows-1252 and saved again: letters of Western and Central Europe, and typographic quotes. */
const GARBLED = /[ÂÃÄÅ][\u0080-\u00bf€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ]|â€|\ufffd/u;
/** `="00123"` and `'00123` keep zeros in a sheet; in a name an apostrophe may come first ('t Hart). */
const isOfSpreadsheet = (column: string, value: string): boolean =>
  !isFreeText(column) && (value.startsWith('=') || (column === 'id' && value.startsWith("'")));
/** Variation selectors show nothing, and a blank other than the space looks like one. */
const LOOKS_OTHERWISE = /\p{Variation_Selector}|[^\S ]/u;
/** Ids are compared byte for byte: written in another way, the same document is another payout. */
const hasAnotherSpelling = (value = ''): boolean => value !== value.normalize('NFC') || LOOKS_OTHERWISE.test(value);
/** Fixed numbers of digits in bank codes. */
const CODE_DIGITS: Readonly<Record<string, number>> = { aba_routing_code: 9, bsb: 6, sort_code: 6 };

/** Probable mistakes, which stop nothing: shown before the plan is confirmed. Only for rows without findings. */
export function warningsOf(instruction: PayoutInstruction, { today, dueDate }: Days): Broken[] {
  const {
    execute_on: executeOn,
    expires_at: expiresAt,
    currency,
    iban_no: iban,
    aba_routing_code: routing,
  } = instruction;
  const warnings: Broken[] = [];
  if (iban !== undefined && IBAN_LIKE.test(iban) && !hasIbanCheckDigits(iban)) {
    warnings.push({ column: 'iban_no', ...IBAN_CHECK });
  }
  for (const [column, digits] of Object.entries(CODE_DIGITS)) {
    const value = instruction[column]?.replace(/[\s-]/g, '') ?? '';
    if (/^\d+$/.test(value) && value.length < digits) warnings.push({ column, ...lostZeros(digits) });
  }
  if (/^\d{9}$/.test(routing ?? '') && !isRoutingNumber(routing ?? '')) {
    warnings.push({ column: 'aba_routing_code', ...ROUTING_CHECK });
  }
  for (const [column, value = ''] of Object.entries(instruction)) {
    if (SCIENTIFIC.test(value)) warnings.push({ column, ...SCIENTIFIC_NOTATION });
    if (isOfSpreadsheet(column, value)) warnings.push({ column, ...SPREADSHEET_TEXT });
    if (GARBLED.test(value)) warnings.push({ column, ...GARBLED_LETTERS });
  }
  for (const column of ['uid', 'id']) {
    if (hasAnotherSpelling(instruction[column])) warnings.push({ column, ...ANOTHER_SPELLING });
  }
  const due = executeOn && dueDate(executeOn, currency);
  if (executeOn && due) warnings.push(...dateWarnings(executeOn, due, today));
  const sentOn = due === undefined || due < today ? today : due;
  if (expiresAt !== undefined && Date.parse(expiresAt) <= Date.parse(sentOn)) {
    warnings.push({ column: 'expires_at', ...EXPIRED });
  }
  return warnings;
}

function dateWarnings(executeOn: string, due: string, today: string): Broken[] {
  const column = 'execute_on';
  if (due < today) return [{ column, ...PAST }];
  if (due > inAYear(today)) return [{ column, ...FAR_AHEAD }];
  if (due !== executeOn)
    return [{ column, rule: 'closed-day', message: `not a business day of the currency; sent on ${due}` }];
  const weekday = new Date(`${executeOn}T00:00:00Z`).getUTCDay();
  return weekday === 0 || weekday === 6 ? [{ column, ...WEEKEND }] : [];
}

const inAYear = (today: string): string => `${Number(today.slice(0, 4)) + 1}${today.slice(4)}`;

const IBAN_CHECK = {
  rule: 'iban-check-digits',
  message: 'the check digits are wrong; compare the IBAN with the invoice',
};
const ROUTING_CHECK = {
  rule: 'routing-check-digit',
  message: 'the check digit is wrong; compare the routing number with the invoice',
};
const lostZeros = (digits: number) => ({
  rule: 'lost-leading-zeros',
  message: `fewer than ${digits} digits: Excel may have dropped leading zeros; format the column as Text and type the code again`,
});
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
const WEEKEND = {
  rule: 'closed-day',
  message:
    'a Saturday or Sunday, and no calendar is set (PAYOUTS_HOLIDAYS): the payout is sent on that day, and the bank may pay later',
};
