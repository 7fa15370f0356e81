import type { Bank } from '../../api/bank.ts';
import { checkFields, matchEntry, sameBeneficiary, toWireFields } from '../../api/required-details.ts';
import type { Beneficiary, RequiredDetailsEntry } from '../../api/schemas/beneficiaries.ts';
import { beneficiaryFields, type PayoutInstruction } from '../../domain/instruction.ts';
import { approvalDigest, referenceOf } from '../../identity.ts';

/** A beneficiary named by its fields: what required-details asks for and what the instruction gives. */
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

/** Reads required-details and checks the instruction's fields against them. Field names only in findings, no values. */
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

/** The oldest beneficiary at the bank that is this payee as a whole; undefined when the list shows none. */
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

/** Digest of a payee as the bank shows it: a changed detail changes it. */
export function payeeDigest(beneficiary: Beneficiary): string {
  return approvalDigest({
    ...beneficiary.items,
    'beneficiary.id': beneficiary.id,
    'beneficiary.currency': beneficiary.currency,
    'beneficiary.payment_type': beneficiary.payment_type,
  });
}

/** Lock key of adding this payee: the same payee of the same user is added once, whoever asks. */
export function payeeKey(payee: NamedPayee): Record<string, string> {
  return {
    ...payee.fields,
    'payee.uid': payee.uid,
    'payee.currency': payee.currency,
    'payee.beneficiary_type': payee.beneficiaryType,
    'payee.payment_type': payee.paymentType,
  };
}

/** The key under which adding a payee is recorded, like a reference under which an order is sent. */
export function payeeReference(uid: string, key: Record<string, string>): string {
  return referenceOf(uid, approvalDigest(key), 'payment', 0);
}
