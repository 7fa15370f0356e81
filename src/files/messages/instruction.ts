import { shownValue } from '../../domain/finding.ts';
import { CITY_FIELDS } from '../../domain/payee-fields.ts';
import { present } from '../../domain/present.ts';
import type { CreditTransfer } from '../credit-transfer.ts';
import type { Broken } from '../rules/field-rules.ts';
import { accountKey } from './account-key.ts';
import { addressProblem, streetOf } from './address.ts';
import type { MessageContext } from './message-context.ts';
import { paymentTypeOf } from './payment-type.ts';

interface MappedTransfer {
  /** By column names; what is unknown is left out. */
  instruction: Record<string, string>;
  /** Payee fields taken from the message, which may be dropped if the bank does not ask for them. */
  spare: string[];
  /** Why the transfer cannot be paid. */
  broken: BrokenTransfer[];
}

/** `value` is safe to print. */
type BrokenTransfer = Broken & { value?: string | null };

type Fields = Record<string, string>;

/** A credit transfer as a payout: our account for the debtor's, the bank's fields for the creditor's data. */
export function instructionOf(transfer: CreditTransfer, context: MessageContext): MappedTransfer {
  const { id, amount, currency, requestedExecution, remittance, purpose } = transfer;
  const debtor = debtorOf(transfer, context);
  const payee = payeeOf(transfer, debtor.fields.uid, context);
  const instruction = {
    id,
    ...debtor.fields,
    amount,
    currency,
    ...payee.fields,
    ...present({ note: remittance, reason: purpose, execute_on: requestedExecution }),
  };
  context.seen?.(transfer, instruction);
  return { instruction, spare: payee.spare, broken: [...debtor.broken, ...payee.broken] };
}

function debtorOf({ debtorAccount, debtorCurrency }: CreditTransfer, { mapping }: MessageContext) {
  const ours = mapping.accounts.get(accountKey(debtorAccount));
  const broken: BrokenTransfer[] = [];
  if (ours === undefined) {
    broken.push({ ...UNMAPPED_ACCOUNT, value: shownValue('debtor_account', debtorAccount) });
  } else if (ours.currency !== undefined && debtorCurrency !== undefined && ours.currency !== debtorCurrency) {
    broken.push({ ...OTHER_CURRENCY, value: shownValue('currency', debtorCurrency) });
  }
  const fields: Fields = ours === undefined ? {} : { uid: ours.uid, account_id: ours.account_id };
  return { fields, broken };
}

function payeeOf(transfer: CreditTransfer, uid: string | undefined, context: MessageContext) {
  const { mapping, payees } = context;
  const known = payees.find(transfer, uid) ?? {};
  if (known === 'ambiguous') return { fields: {}, spare: [], broken: [AMBIGUOUS_PAYEE] };
  if (known.beneficiary_id !== undefined) return { fields: known, spare: [], broken: [] };
  const broken: Broken[] = [];
  const beneficiaryType = known.beneficiary_type ?? transfer.creditor.type ?? mapping.beneficiaryType;
  if (beneficiaryType === undefined) broken.push(NO_BENEFICIARY_TYPE);
  const choice = known.payment_type === undefined ? paymentTypeOf(transfer, mapping) : undefined;
  if (choice !== undefined && 'rule' in choice) broken.push({ column: 'payment_type', ...choice });
  const paymentType = choice !== undefined && 'paymentType' in choice ? choice.paymentType : undefined;
  const said = detailsOf(transfer, beneficiaryType, mapping.clearingFields);
  // The city has two field names: if the directory has either, the message's city would contradict it.
  if (CITY_FIELDS.some((name) => known[name] !== undefined)) delete said.address_city;
  const types = present({ beneficiary_type: beneficiaryType, payment_type: paymentType });
  const spare = Object.keys(said).filter((name) => known[name] === undefined);
  const fields = { ...types, ...said, ...known };
  // A street in the directory replaces the address lines.
  if (known.address_address1 === undefined) {
    const day = { ...context, executeOn: transfer.requestedExecution };
    broken.push(...[addressProblem(transfer.creditor.address ?? {}, fields, day)].flatMap((found) => found ?? []));
  }
  return { fields, spare, broken };
}

/** By the interface's field names (sections 2 and 4). First and last name are never derived from a full name. */
function detailsOf(
  { creditor }: CreditTransfer,
  beneficiaryType: string | undefined,
  clearingFields: ReadonlyMap<string, string>,
): Fields {
  const { name, iban, account, bic, clearing, mobile, address = {} } = creditor;
  const clearingField = clearing === undefined ? undefined : clearingFields.get(clearing.system);
  return present({
    account_name: name,
    company_name: beneficiaryType === 'business' ? name : undefined,
    mobile,
    // ISO 9362 and ISO 13616: a BIC contains the bank's country, an IBAN begins with it.
    region_country: creditor.bankCountry ?? bic?.slice(4, 6) ?? iban?.slice(0, 2),
    ...(clearingField === undefined ? {} : { [clearingField]: clearing?.member }),
    swift_code: bic,
    iban_no: iban,
    account_no: account,
    address_country: address.country,
    address_state: address.state,
    address_city: address.city,
    address_address1: streetOf(address),
    // The interface's regex for postcodes allows no blanks, which carry no meaning.
    address_postcode: address.postcode?.replace(/\s+/g, ''),
  });
}

const UNMAPPED_ACCOUNT: Broken = {
  column: 'account_id',
  rule: 'unmapped-account',
  message: "no bank account is known for the debtor's account; add it to accounts in the mapping file",
};
const OTHER_CURRENCY: Broken = {
  column: 'account_id',
  rule: 'debtor-currency',
  message:
    "the message and the mapping file give different currencies for the debtor's account; correct one of the two",
};
const AMBIGUOUS_PAYEE: Broken = {
  column: 'beneficiary_id',
  rule: 'ambiguous-payee',
  message: 'two entries of the payee directory match equally well; distinguish them by bank, currency or uid',
};
const NO_BENEFICIARY_TYPE: Broken = {
  column: 'beneficiary_type',
  rule: 'no-beneficiary-type',
  message:
    'it is not known whether the payee is a person or a company; set it in the payee directory, or set beneficiaryType in the mapping file',
};
