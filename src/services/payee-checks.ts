import type { CheckProvider } from '../checks/provider.ts';
import { CHECK_KINDS, type CheckKind } from '../domain/payee-check.ts';
import type { PayoutRecord } from '../store/store.ts';

/** Who is asked about payees, and what of it is kept for how long. */
export interface PayeeChecks {
  provider: CheckProvider;
  /** A verdict that is older is asked for anew. */
  maxAgeMs: number;
  /** Whose payees are verified; undefined: those of every currency. All are screened. */
  verifiedCurrencies: readonly string[] | undefined;
}

/** Of which checks a row must have a verdict before it is sent. Only a payout has a payee. */
export function checksAskedOf(
  checks: PayeeChecks | undefined,
  { kind, instruction }: Pick<PayoutRecord, 'kind' | 'instruction'>,
): CheckKind[] {
  if (checks === undefined || kind !== 'payout') return [];
  const isVerified = checks.verifiedCurrencies?.includes(instruction.currency) ?? true;
  return CHECK_KINDS.filter((check) => check === 'screening' || isVerified);
}
