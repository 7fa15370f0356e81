import type { PayoutInstruction } from './instruction.ts';
import { parseAmount } from './money.ts';
import { ACCOUNT_FIELDS } from './payee-fields.ts';

/** When two instructions mean the same payment: the same account pays the same amount to the same payee. */

/** Fields that an IBAN already includes; other account numbers need them. */
const IN_AN_IBAN: readonly string[] = ['swift_code', 'bank_code', 'branch_code'];

/** Fields of an instruction, or of a payee at the bank: the names are the same (interface section 1). */
export type PayeeDetails = Readonly<Record<string, string | undefined>>;

/**
 * The payee as a comparable text: the bank's id, or the account named by the fields, ignoring blanks, hyphens and letter case;
 * names, addresses and bank names around them have many spellings.
 * Undefined if the instruction names neither.
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

/** Whether both pay the same amount from the same account to the same payee, however each is written. */
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
 * User, payee, amount and currency as one text; undefined if no payee is named. `details`: what the bank has under the payee's
 * id, so that a row with only the id is like one that names the account.
 */
export function likeness(instruction: PayoutInstruction, details?: PayeeDetails): string | undefined {
  const payee = details === undefined ? payeeAccount(instruction) : accountNamed(details);
  if (payee === undefined) return undefined;
  return JSON.stringify([instruction.uid, payee, minorAmount(instruction), instruction.currency]);
}

/** Digests that a row may share with a look-alike: of the payee as the row names it, and of the payee's account. */
export const lookAlikeKeys = (row: { lookAlikeKey?: string; lookAlikeAccount?: string }): string[] =>
  [row.lookAlikeKey, row.lookAlikeAccount].filter((key) => key !== undefined);

function minorAmount({ amount, currency }: PayoutInstruction): string {
  const parsed = parseAmount(amount, currency);
  return parsed.ok ? `${parsed.minor}` : amount;
}
