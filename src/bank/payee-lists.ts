import { approvalDigest, referenceOf } from '../domain/identity.ts';
import { beneficiaryFields, type PayoutInstruction } from '../domain/instruction.ts';
import type { Bank, BeneficiariesOf } from './bank.ts';
import { canonical, checkFields, matchEntry, sameBeneficiary, toWireFields } from './required-details.ts';
import type { Beneficiary, RequiredDetailsEntry } from './schemas/beneficiaries.ts';

/** A payee given by its details, with what required-details asks for. */
export interface NamedPayee {
  /** The bank's payees among which it is found, or added. */
  among: Required<BeneficiariesOf>;
  entry: RequiredDetailsEntry | undefined;
  /** Detail fields under the names the bank asks for. */
  fields: Record<string, string>;
  findings: string[];
}

/** Reads required-details and checks the instruction's fields against them. Findings hold field names only, no values. */
export async function namedPayee(bank: Bank, instruction: PayoutInstruction): Promise<NamedPayee> {
  const { uid, currency, beneficiary_type, payment_type } = instruction;
  const among = { uid, currency, beneficiary_type: beneficiary_type ?? '', payment_type: payment_type ?? '' };
  const entries = await bank.beneficiaries.requiredDetails(currency, among.beneficiary_type);
  const entry = matchEntry(entries, among.payment_type);
  const given = beneficiaryFields(instruction);
  return {
    among,
    entry,
    fields: entry === undefined ? given : toWireFields(entry, given),
    findings:
      entry === undefined
        ? ['payment_type: not offered by the bank']
        : checkFields(entry, given).map(({ field, rule }) => `${field}: ${rule}`),
  };
}

/**
 * Whether a beneficiary of the bank is this payee in full: of the same user, and paid in the same way, because details that the
 * payment type does not ask for are not compared (the SWIFT code beside an IBAN of a local payee).
 */
export const isNamedPayee = (
  { among, entry, fields }: NamedPayee,
  { uid, currency, beneficiary_type, payment_type, items }: Beneficiary,
): boolean =>
  uid === among.uid &&
  currency === among.currency &&
  beneficiary_type === among.beneficiary_type &&
  payment_type === among.payment_type &&
  sameBeneficiary(entry, items, fields);

/** The oldest beneficiary at the bank that is this payee; undefined if the list shows none. */
export async function findPayee(bank: Bank, payee: NamedPayee): Promise<Beneficiary | undefined> {
  const { beneficiaries } = await bank.beneficiaries.listAll(payee.among);
  return beneficiaries
    .filter((beneficiary) => isNamedPayee(payee, beneficiary))
    .sort((a, b) => (a.created_at ?? 0) - (b.created_at ?? 0) || (a.id < b.id ? -1 : 1))[0];
}

/** Digest of a beneficiary as the bank shows it: any changed detail changes it, another spelling does not. */
export function payeeDigest(beneficiary: Beneficiary): string {
  return approvalDigest({
    ...Object.fromEntries(canonical(beneficiary.items)),
    'beneficiary.id': beneficiary.id,
    'beneficiary.currency': beneficiary.currency,
    'beneficiary.payment_type': beneficiary.payment_type,
  });
}

/** Reference under which adding a payee is recorded, like that of an order: one payee of a user is added once, by any caller. */
export function payeeReference({ among, fields }: NamedPayee): string {
  const about = Object.entries(among).map(([name, value]) => [`payee.${name}`, value]);
  const key = { ...Object.fromEntries(canonical(fields)), ...Object.fromEntries(about) };
  return referenceOf(among.uid, approvalDigest(key), 'payment', 0);
}
