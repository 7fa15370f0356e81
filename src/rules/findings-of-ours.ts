/**
 * Rules whose findings are mended here (mapping file, payee directory, the bank's own records) and not by whoever sent a
 * bank message: RJCT for one of them would be taken back.
 */
const OURS: ReadonlySet<string> = new Set([
  'account-not-found',
  'ambiguous-payee',
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
