import type { Finding } from '../../domain/finding.ts';
import { printable } from '../../domain/finding.ts';
import type { Transaction } from './transaction.ts';

/** What a transaction asks for and the bank's API cannot do: reported instead of paying it differently. */
export type Refusal = Required<Pick<Finding, 'column' | 'value' | 'rule' | 'message' | 'path'>>;

/** Charge bearers that mean shared charges: SLEV follows the rules of the scheme, and those share. */
const SHARED: ReadonlySet<string> = new Set(['SHAR', 'SLEV']);

/** `SHA`, the only kind the bank offers, if the message asks for shared charges. */
export function chargeTypeOf(transaction: Transaction): 'SHA' | undefined {
  return SHARED.has(chargeBearerOf(transaction) ?? '') ? 'SHA' : undefined;
}

const chargeBearerOf = ({ fields, payment }: Transaction): string | undefined =>
  fields.one('ChrgBr') ?? payment.fields.one('ChrgBr');

export function refusalsOf(transaction: Transaction, instruction: Readonly<Record<string, string>>): Refusal[] {
  const { fields, payment, path } = transaction;
  const refusals: Refusal[] = [];
  const method = payment.fields.one('PmtMtd');
  if (method !== 'TRF') {
    refusals.push({ column: null, value: method ?? null, ...NOT_A_TRANSFER, path: `${payment.path}/PmtMtd` });
  }
  const charges = chargeBearerOf(transaction);
  if (charges !== undefined && !SHARED.has(charges)) {
    const at = fields.one('ChrgBr') === undefined ? payment.path : path;
    refusals.push({ column: 'charge_type', value: charges, ...NOT_SHARED, path: `${at}/ChrgBr` });
  }
  if (fields.has('Amt/EqvtAmt')) {
    refusals.push({ column: 'amount', value: instruction.amount ?? null, ...EQUIVALENT, path: `${path}/Amt/EqvtAmt` });
  }
  const contract = fields.one('XchgRateInf/CtrctId') !== undefined || fields.one('XchgRateInf/RateTp') === 'AGRD';
  if (contract) refusals.push({ column: null, value: null, ...AGREED_RATE, path: `${path}/XchgRateInf` });
  return refusals.map((refusal) => ({ ...refusal, value: refusal.value === null ? null : printable(refusal.value) }));
}

const NOT_A_TRANSFER = {
  rule: 'not-a-transfer',
  message: 'only credit transfers (PmtMtd TRF) are paid; use another bank service for cheques and advised transfers',
};
const NOT_SHARED = {
  rule: 'bad-charge-type',
  message: 'only shared charges are available; write SHAR or SLEV, or leave ChrgBr out',
};
const EQUIVALENT = {
  rule: 'equivalent-amount',
  message:
    "an amount in the debtor's currency (EqvtAmt) is not supported; write InstdAmt in the currency that the payee receives",
};
const AGREED_RATE = {
  rule: 'agreed-rate',
  message:
    'an agreed exchange rate cannot be passed on to the bank; pay from an account in the currency of the amount, or leave XchgRateInf out',
};
