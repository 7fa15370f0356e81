import type { Bank } from '../../api/bank.ts';
import { canonical, checkFields, matchEntry, sameBeneficiary, toWireFields } from '../../api/required-details.ts';
import type { Beneficiary, RequiredDetailsEntry } from '../../api/schemas/beneficiaries.ts';
import { beneficiaryFields, type PayoutInstruction } from '../../domain/instruction.ts';
import { approvalDigest, referenceOf } from '../../identity.ts';

/** A payee given by its details, with what required-details asks for. */
export interface NamedPayee {
  uid: string;
  currency: string;
  beneficiaryType: string;
  paymentType: string;
  entry: RequiredDetailsEntry | undefined;
  /** Detail fields under the names the bank asks for. */
  fields: Record<string, string>;
  findings: string[];
}

/** Reads required-details and checks the instruction's fields against them. Findings hold field names only, no values. */
export async function namedPayee(bank: Bank, instruction: PayoutInstruction): Promise<NamedPayee> {
  const beneficiaryType = instruction.beneficiary_type ?? '';
  const paymentType = instruction.payment_type ?? '';
  const entries = await bank.beneficiaries.requiredDetails(instruction.currency, beneficiaryType);
  const entry = matchEntry(entries, paymentType);
  const given = beneficiaryFields(instruction);
  const findings =
    entry === undefined
      ? ['payment_type: not offered by the bank']
      : checkFields(entry, given).map((f) => `${f.field}: ${f.rule}`);
  return {
    uid: instruction.uid,
    currency: instruction.currency,
    beneficiaryType,
    paymentType,
    entry,
    fields: entry === undefined ? given : toWireFields(entry, given),
    findings,
  };
}

/** The oldest beneficiary at the bank that matches this payee in full; undefined if the list shows none. */
export async function findPayee(bank: Bank, payee: NamedPayee): Promise<Beneficiary | undefined> {
  const scan = await bank.beneficiaries.listAll({
    uid: payee.uid,
    currency: payee.currency,
    beneficiary_type: payee.beneficiaryType,
    payment_type: payee.paymentType,
  });
  return scan.beneficiaries
    .filter(
      (b) =>
        b.currency === payee.currency &&
        b.beneficiary_type === payee.beneficiaryType &&
        b.payment_type === payee.paymentType,
    )
    .filter((b) => sameBeneficiary(payee.entry, b.items, payee.fields))
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

/** Lock key for adding this payee: one payee of a user is added once, whoever asks. */
export function payeeKey(payee: NamedPayee): Record<string, string> {
  return {
    ...Object.fromEntries(canonical(payee.fields)),
    'payee.uid': payee.uid,
    'payee.currency': payee.currency,
    'payee.beneficiary_type': payee.beneficiaryType,
    'payee.payment_type': payee.paymentType,
  };
}

/** Reference under which adding a payee is recorded, like that of an order. */
export function payeeReference(uid: string, key: Record<string, string>): string {
  return referenceOf(uid, approvalDigest(key), 'payment', 0);
}
