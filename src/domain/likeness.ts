import type { PayoutInstruction } from './instruction.ts';
import { parseAmount } from './money.ts';

/** When two instructions mean the same money: the same account pays the same amount to the same payee. */

/** Fields that say which account is paid; names, addresses and bank names around them are written in many ways. */
const ACCOUNT_FIELDS = [
  'iban_no',
  'account_no',
  'aba_routing_code',
  'bsb',
  'sort_code',
  'swift_code',
  'bank_code',
  'branch_code',
] as const;
/** Those that an IBAN holds already; any other number needs them. */
const IN_AN_IBAN: readonly string[] = ['swift_code', 'bank_code', 'branch_code'];

/** Of an instruction, or of a payee as the bank has it: the fields have the same names (interface section 1). */
export type PayeeDetails = Readonly<Record<string, string | undefined>>;

/**
 * The payee as something to compare: the bank's id, or the account named by the fields without blanks and letter case.
 * Undefined when the instruction names neither.
 */
function payeeAccount(instruction: PayoutInstruction): string | undefined {
  if (instruction.beneficiary_id !== undefined) return `beneficiary ${instruction.beneficiary_id}`;
  return accountNamed(instruction);
}

function accountNamed(details: PayeeDetails): string | undefined {
  const fields = ACCOUNT_FIELDS.filter((field) => !IN_AN_IBAN.includes(field) || !details.iban_no);
  const named = fields.flatMap((field) => {
    const value = details[field]?.replaceAll(/[\s-]/g, '').toUpperCase();
    return value === undefined || value === '' ? [] : [`${field} ${value}`];
  });
  return named.length === 0 ? undefined : named.join(' ');
}

/** Whether both pay the same amount from the same account to the same payee, however each of them is written. */
export function sameMoney(one: PayoutInstruction, other: PayoutInstruction): boolean {
  const payee = payeeAccount(one);
  return (
    one.uid === other.uid &&
    one.account_id === other.account_id &&
    one.currency === other.currency &&
    minorAmount(one) === minorAmount(other) &&
    payee !== undefined &&
    payee === payeeAccount(other)
  );
}

/**
 * User, payee, amount and currency as one text; undefined when the payee is not named. `details`: what the bank has under the id of
 * the payee, by which a row that names only the id is like one that names the account.
 */
export function likeness(instruction: PayoutInstruction, details?: PayeeDetails): string | undefined {
  const payee = details === undefined ? payeeAccount(instruction) : accountNamed(details);
  if (payee === undefined) return undefined;
  return JSON.stringify([instruction.uid, payee, minorAmount(instruction), instruction.currency]);
}

/** What a row may share with a payout that looks like it: the digests of its payee as it names it, and of the payee's account. */
export const lookAlikeKeys = (row: { lookAlikeKey?: string; lookAlikeAccount?: string }): string[] =>
  [row.lookAlikeKey, row.lookAlikeAccount].filter((key) => key !== undefined);

function minorAmount({ amount, currency }: PayoutInstruction): string {
  const parsed = parseAmount(amount, currency);
  return parsed.ok ? `${parsed.minor}` : amount;
}
