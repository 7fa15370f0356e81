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

/**
 * The payee as something to compare: the bank's id, or the account named by the fields without blanks and letter case.
 * Undefined when the instruction names neither.
 */
function payeeAccount(instruction: PayoutInstruction): string | undefined {
  if (instruction.beneficiary_id !== undefined) return `beneficiary ${instruction.beneficiary_id}`;
  const fields = ACCOUNT_FIELDS.filter((field) => !IN_AN_IBAN.includes(field) || !instruction.iban_no);
  const named = fields.flatMap((field) => {
    const value = instruction[field]?.replaceAll(/[\s-]/g, '').toUpperCase();
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

/** User, payee, amount and currency as one text; undefined when the payee is not named. */
export function likeness(instruction: PayoutInstruction): string | undefined {
  const payee = payeeAccount(instruction);
  if (payee === undefined) return undefined;
  return JSON.stringify([instruction.uid, payee, minorAmount(instruction), instruction.currency]);
}

function minorAmount({ amount, currency }: PayoutInstruction): string {
  const parsed = parseAmount(amount, currency);
  return parsed.ok ? `${parsed.minor}` : amount;
}
