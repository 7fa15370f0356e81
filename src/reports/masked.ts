import { shownValue } from '../domain/finding.ts';
import { beneficiaryFields } from '../domain/instruction.ts';
import { ACCOUNT_FIELDS, payeeCountry, payeeName } from '../domain/payee.ts';
import type { PayoutRecord } from '../store/store.ts';

const NAMES = ['account_name', 'company_name', 'last_name'] as const;
const ACCOUNTS = ['iban_no', 'account_no'] as const;
const BANKS = ACCOUNT_FIELDS.filter((field) => field !== 'iban_no' && field !== 'account_no');

/** Details of a payee, by the bank's names. */
type PayeeItems = Readonly<Record<string, string | undefined>>;

/** Who is paid, and where; a blank text is not known. */
export interface PayeeNamed {
  name: string;
  account: string;
  /** BIC, or the codes of the bank and its branch. */
  bank: string;
  /** ISO 3166 alpha-2: of the account, else of the bank. */
  country: string;
}

/** For whom may decide about a payout, has handed it over or can read the store: in full. */
export function payeeNamed(items: PayeeItems): PayeeNamed {
  return {
    name: payeeName(items) ?? '',
    account: ACCOUNTS.map((field) => items[field]).find((value) => value !== undefined && value !== '') ?? '',
    bank: BANKS.flatMap((field) => items[field] || []).join(' '),
    country: payeeCountry(items) ?? '',
  };
}

/** For everybody else, enough to distinguish it: `E***`, `***0001`. */
export const maskedPayee = (items: PayeeItems): PayeeNamed => ({
  name: masked(NAMES, items),
  account: masked(ACCOUNTS, items),
  bank: '',
  country: '',
});

type PaidRow = Pick<PayoutRecord, 'kind' | 'instruction'>;

/** The payee by the row, masked: a beneficiary id, an account of its own user, or its details. */
export function payeeText({ kind, instruction }: PaidRow): string {
  const { beneficiary_id: id, to_account_id: ownAccount = '' } = instruction;
  if (kind !== 'payout') return ownAccount;
  const { name, account } = maskedPayee(beneficiaryFields(instruction));
  return id ?? `${name} ${account}`.trim();
}

/** The payee in full, or what the row says if its details are not known: `Ann Meyer, DE89370400440532013000`. */
export function payeeInFull(row: PaidRow, atBank: PayeeItems | undefined): string {
  const { instruction } = row;
  const items = instruction.beneficiary_id === undefined ? beneficiaryFields(instruction) : (atBank ?? {});
  const { name, account } = payeeNamed(items);
  const parts = row.kind === 'payout' ? [name, account].filter((part) => part !== '') : [];
  return parts.length === 0 ? payeeText(row) : parts.join(', ');
}

export const maskedName = (name: string): string => shownValue(NAMES[0], name) ?? '';
export const maskedAccount = (account: string): string => shownValue(ACCOUNTS[0], account) ?? '';

function masked(fields: readonly string[], items: PayeeItems): string {
  const field = fields.find((name) => items[name] !== undefined && items[name] !== '');
  return field === undefined ? '' : (shownValue(field, items[field]) ?? '');
}
