import type { CheckProvider } from '../checks/provider.ts';
import { CHECK_KINDS, type CheckKind, type PayeeCheck } from '../domain/payee-check.ts';
import { approvalDigest } from '../identity.ts';
import type { KeptCheck, PayoutRecord, Store } from '../store/store.ts';

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

/** What a reading holds of a verdict that is kept. What was answered is bound as well: another case is another question. */
export function checkOf({ kind, verdict, provider, payee, askedAt, otherName, caseId }: KeptCheck): PayeeCheck {
  const answered = { otherName: otherName ?? undefined, caseId: caseId ?? undefined };
  const digest = approvalDigest({ kind, verdict, provider, payee, ...answered });
  return { kind, verdict, provider, payee, askedAt, digest };
}

export type ShownCheck = PayeeCheck & Pick<KeptCheck, 'name' | 'otherName' | 'caseId' | 'why'>;

/** What whoever decides on a row is shown of its verdicts: the names as well, where they are still those of its reading. */
export async function checksShown(
  store: Pick<Store, 'payeeCheck'>,
  { uid, assessed }: Pick<PayoutRecord, 'uid' | 'assessed'>,
): Promise<ShownCheck[]> {
  const shown: ShownCheck[] = [];
  for (const check of assessed?.checks ?? []) {
    const kept = await store.payeeCheck({ ...check, uid });
    const isSame = kept !== undefined && checkOf(kept).digest === check.digest;
    const { name = null, otherName = null, caseId = null, why = null } = isSame ? kept : {};
    shown.push({ ...check, name, otherName, caseId, why });
  }
  return shown;
}
