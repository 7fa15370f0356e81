import { shownValue } from '../domain/finding.ts';
import { beneficiaryFields } from '../domain/instruction.ts';
import type { PayoutRecord } from '../store/store.ts';

const NAMES = ['account_name', 'company_name', 'last_name'] as const;
const ACCOUNTS = ['iban_no', 'account_no'] as const;

/** Enough of a payee's details to distinguish it: `E***`, `***0001`; empty if the bank shows none. */
export function maskedPayee(items: Readonly<Record<string, string | undefined>>): { name: string; account: string } {
  return { name: masked(NAMES, items), account: masked(ACCOUNTS, items) };
}

/** The payee by the row: a beneficiary id, an account of its own user, or masked details. */
export function payeeText({ kind, instruction }: Pick<PayoutRecord, 'kind' | 'instruction'>): string {
  const { beneficiary_id: id, to_account_id: ownAccount = '' } = instruction;
  if (kind !== 'payout') return ownAccount;
  const { name, account } = maskedPayee(beneficiaryFields(instruction));
  return id ?? `${name} ${account}`.trim();
}

export const maskedName = (name: string): string => shownValue(NAMES[0], name) ?? '';
export const maskedAccount = (account: string): string => shownValue(ACCOUNTS[0], account) ?? '';

function masked(fields: readonly string[], items: Readonly<Record<string, string | undefined>>): string {
  const field = fields.find((name) => items[name] !== undefined && items[name] !== '');
  return field === undefined ? '' : (shownValue(field, items[field]) ?? '');
}
