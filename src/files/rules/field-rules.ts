import { isMerchantRequestId } from '../../domain/card-number.ts';
import { hasUnprintable, isFreeText } from '../../domain/finding.ts';
import { ADVICE_LANGUAGES, isMailAddress, type PayoutInstruction } from '../../domain/instruction.ts';
import {
  type AmountFinding,
  compareDecimals,
  currencyCodes,
  currencyExponent,
  parseAmount,
} from '../../domain/money.ts';
import { midnightOf } from '../../domain/time.ts';

/** Rules about single values of an instruction, independent of the bank. */

export interface Broken {
  column: string;
  rule: string;
  message: string;
}

type Text = string | undefined;
type ValueRule = (value: string, instruction: PayoutInstruction) => Omit<Broken, 'column'> | undefined;

export const REQUIRED_COLUMNS = ['id', 'uid', 'account_id', 'amount', 'currency'] as const;

const IDENTITY_BYTES_MAX = 128;
const BANK_ID = /^[A-Za-z0-9_.:-]{1,128}$/;
/** The interface does not show the maximum length of `note` and `reason`; payment networks carry 140 characters. */
const FREE_TEXT_CHARACTERS_MAX = 140;
const INSTANT = /^(\d{4}-\d{2}-\d{2})T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:\d{2})$/;
const REFERENCE = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const UNSIGNED_DECIMAL = /^\d{1,18}(?:\.\d{1,10})?$/;

const identity: ValueRule = (value) => {
  if (value.includes('/')) return { rule: 'bad-id', message: '"/" is not allowed; use another separator' };
  if (Buffer.byteLength(value) > IDENTITY_BYTES_MAX) {
    return { rule: 'too-long', message: `at most ${IDENTITY_BYTES_MAX} bytes; shorten it` };
  }
  return undefined;
};

/** A rule with one message. */
const must =
  (isRight: (value: string) => boolean, rule: string, message: string): ValueRule =>
  (value) =>
    isRight(value) ? undefined : { rule, message };

const bankId = must(
  (value) => BANK_ID.test(value),
  'bad-id',
  `a bank id matches ${BANK_ID.source}; copy it exactly as the bank shows it`,
);

const currency: ValueRule = (value) => {
  if (currencyExponent(value) !== undefined) return undefined;
  const upper = value.toUpperCase();
  const fix = currencyExponent(upper) === undefined ? `use an ISO 4217 code such as EUR` : `write ${upper}`;
  return { rule: 'unknown-currency', message: `not one of the ${currencyCodes().length} known currency codes; ${fix}` };
};

/** Decimals are checked only if the currency is known; otherwise by the currency that has the most. */
const WIDEST_CURRENCY = 'CLF';

const amount: ValueRule = (value, instruction) => {
  const known = currencyExponent(instruction.currency) !== undefined;
  const parsed = parseAmount(value, known ? instruction.currency : WIDEST_CURRENCY);
  if (parsed.ok) return undefined;
  return { rule: parsed.rule, message: amountMessage(parsed.rule, instruction.currency) };
};

function amountMessage(rule: AmountFinding, code: string): string {
  switch (rule) {
    case 'not-a-decimal':
      return 'write digits and a decimal point, without sign, spaces or thousands separators: 1250.00';
    case 'not-positive':
      return 'an amount must be above zero';
    case 'too-large':
      return 'an amount has at most 18 digits before the point';
    case 'too-many-decimals': {
      const exponent = currencyExponent(code);
      return exponent === 0
        ? `${code} has no decimals; write a whole number`
        : `${code} has at most ${exponent ?? 4} decimals; round the amount, or delete the point if it separates thousands`;
    }
    case 'unknown-currency':
      return 'the currency is unknown';
  }
}

const freeText = must(
  (value) => [...value].length <= FREE_TEXT_CHARACTERS_MAX,
  'too-long',
  `at most ${FREE_TEXT_CHARACTERS_MAX} characters; shorten it`,
);

const oneOf = (rule: string, message: string, ...allowed: string[]): ValueRule =>
  must((value) => allowed.includes(value), rule, message);

const isDate = (value: string): boolean => midnightOf(value) !== undefined;
const isInstant = (value: string): boolean =>
  isDate(INSTANT.exec(value)?.[1] ?? '') && !Number.isNaN(Date.parse(value));
const isDecimal = (value: string): boolean => UNSIGNED_DECIMAL.test(value);

const instant = must(isInstant, 'bad-time', 'not a date and time with a time zone; write it as 2026-03-31T17:00:00Z');
const fraction = must(
  (value) => isDecimal(value) && compareDecimals(value, '1') !== 1,
  'bad-fraction',
  'write a fraction from 0 to 1: 0.01 is one per cent',
);
const reference = must(
  (value) => REFERENCE.test(value),
  'bad-reference',
  'not a reference; copy it from the report of the earlier batch',
);
const merchantRequestId = must(
  isMerchantRequestId,
  'bad-card-payment',
  'not a merchant_request_id: 1 to 64 letters, digits, ".", "_", "~" or "-", no card number, no UUID of version 5',
);

const RULES: readonly (readonly [column: string, rule: ValueRule])[] = [
  ['id', identity],
  ['uid', identity],
  ['account_id', bankId],
  ['amount', amount],
  ['currency', currency],
  ['to_account_id', bankId],
  ['beneficiary_id', bankId],
  ['beneficiary_type', oneOf('bad-beneficiary-type', 'write personal or business', 'personal', 'business')],
  ['note', freeText],
  ['reason', freeText],
  ['charge_type', oneOf('bad-charge-type', 'only SHA is available; write SHA or leave it empty', 'SHA')],
  ['after_card_payment', merchantRequestId],
  ['execute_on', must(isDate, 'bad-date', 'not a valid date; write it as 2026-03-31')],
  ['expires_at', instant],
  ['fee_cap', must(isDecimal, 'not-a-decimal', 'write a plain decimal: 2.50')],
  ['max_slippage', fraction],
  ['retry_of', reference],
  [
    'advice_to',
    must(isMailAddress, 'bad-mail-address', 'not an e-mail address; write one such as accounts@supplier.example'),
  ],
  ['advice_language', oneOf('bad-language', 'write en, de, fr or es, or leave it empty', ...ADVICE_LANGUAGES)],
  ['priority', oneOf('bad-priority', 'write high or normal, or leave it empty', 'high', 'normal')],
];

const UNPRINTABLE = {
  rule: 'control-character',
  message: 'the value contains an invisible control or direction character; type it again as plain text',
};

const LOST_LETTERS = {
  rule: 'lost-letters',
  message:
    'the value contains \ufffd in place of letters that were lost when the file was converted; export it again as UTF-8',
};

const BLANKS_AROUND = {
  rule: 'surrounding-blanks',
  message: 'the value has spaces before or after it; delete them (in Excel, =TRIM(A2) removes them)',
};

/** The character for a letter that a conversion has lost. */
const LOST_LETTER = '\ufffd';

/** What no value may hold, in any column. */
function unfitness(column: string, value: string): Omit<Broken, 'column'> | undefined {
  if (hasUnprintable(column, value)) return UNPRINTABLE;
  return !isFreeText(column) && value.includes(LOST_LETTER) ? LOST_LETTERS : undefined;
}

/** Includes blanks that do not look like spaces, as copied from web pages. */
const hasBlanks = (column: string, value: Text): boolean =>
  !isFreeText(column) && value !== undefined && value !== value.trim();

/** The columns without a value. */
export const checkRequired = (instruction: PayoutInstruction, columns: readonly string[]): Broken[] =>
  columns
    .filter((column) => !instruction[column])
    .map((column) => ({ column, rule: 'required', message: 'a value is required; fill it in' }));

/** Everything wrong with the row's own values, by column. Blank values are checked elsewhere. */
export function checkValues(instruction: PayoutInstruction): Broken[] {
  const broken: Broken[] = [];
  const unfit = new Set<string>();
  for (const [column, value = ''] of Object.entries(instruction)) {
    const why = unfitness(column, value);
    if (why === undefined) continue;
    unfit.add(column);
    broken.push({ column, ...why });
  }
  const blanks = new Set(
    Object.keys(instruction).filter((column) => !unfit.has(column) && hasBlanks(column, instruction[column])),
  );
  for (const column of blanks) broken.push({ column, ...BLANKS_AROUND });
  for (const [column, rule] of RULES) {
    const value: Text = instruction[column];
    if (value === undefined || unfit.has(column) || blanks.has(column)) continue;
    const found = rule(value, instruction);
    if (found !== undefined) broken.push({ column, ...found });
  }
  return broken;
}
