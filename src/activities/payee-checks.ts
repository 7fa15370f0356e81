import type { CheckProvider } from '../bank/payee-checks/provider.ts';
import { approvalDigest } from '../domain/identity.ts';
import { CHECK_KINDS, type CheckKind, type PayeeCheck } from '../domain/payee.ts';
import type { KeptCheck, PayoutRecord, Store } from '../store/store.ts';

/** Which provider checks payees, and how long its verdicts count. */
export interface PayeeChecks {
  provider: CheckProvider;
  /** Older verdicts are asked for anew. */
  maxAgeMs: number;
  /** Currencies whose payees are verified; undefined: all. Every payee is screened. */
  verifiedCurrencies: readonly string[] | undefined;
}

/** The checks whose verdicts a row needs before it is sent. Only a payout has a payee. */
export function checksAskedOf(checks: PayeeChecks | undefined, { kind, instruction }: PayoutRecord): CheckKind[] {
  if (checks === undefined || kind !== 'payout') return [];
  const isVerified = checks.verifiedCurrencies?.includes(instruction.currency) ?? true;
  return CHECK_KINDS.filter((check) => check === 'screening' || isVerified);
}

/**
 * The part of a stored verdict kept in an assessment. The digest covers the details as well: another case is another question.
 */
export function checkOf({ kind, verdict, provider, payee, askedAt, otherName, caseId }: KeptCheck): PayeeCheck {
  const answered = { otherName: otherName ?? undefined, caseId: caseId ?? undefined };
  const digest = approvalDigest({ kind, verdict, provider, payee, ...answered });
  return { kind, verdict, provider, payee, askedAt, digest };
}

export type ShownCheck = PayeeCheck & Pick<KeptCheck, 'name' | 'otherName' | 'caseId' | 'why'>;

/** The verdicts of a row for the people who decide on it; with names and details only if they are still those of its assessment. */
export async function checksShown(
  store: Store,
  { uid, assessed }: Pick<PayoutRecord, 'uid' | 'assessed'>,
): Promise<ShownCheck[]> {
  const shown: ShownCheck[] = [];
  for (const check of assessed?.checks ?? []) {
    const stored = await store.payeeCheck({ ...check, uid });
    const isSame = stored !== undefined && checkOf(stored).digest === check.digest;
    const { name = null, otherName = null, caseId = null, why = null } = isSame ? stored : {};
    shown.push({ ...check, name, otherName, caseId, why });
  }
  return shown;
}
