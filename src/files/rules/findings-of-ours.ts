/**
 * Rules whose findings are corrected here (mapping file, payee directory, the bank's records), not by the sender of the bank
 * message: an RJCT for one of them would have to be taken back.
 */
const OURS: ReadonlySet<string> = new Set([
  'account-not-found',
  'ambiguous-payee',
  'beneficiary-currency',
  'beneficiary-not-found',
  'debtor-currency',
  'no-beneficiary-type',
  'no-payment-type',
  'payment-type-not-offered',
  'required',
  'unmapped-account',
  'unmapped-clearing-system',
]);

export const isOurs = ({ rule }: { rule: string }): boolean => OURS.has(rule);
