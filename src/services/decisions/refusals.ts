import type { Claim } from '../../domain/claim.ts';
import type { ActivityDeps } from '../deps.ts';
import type { Caller } from '../sending/send-once.ts';

/** A decision that a payout refused. `by` is the name they gave themselves. */
export interface Refused {
  action: 'approve' | 'reject' | 'cancel';
  by: string;
  why: string;
}

/** Records a refusal in the audit. Only the run that holds the claim, or held it when the payout ended, may do so. */
export async function auditRefused(
  { store, now }: Pick<ActivityDeps, 'store' | 'now'>,
  { runId }: Caller,
  { claim: { reference }, refused: { action, by, why } }: { claim: Claim; refused: Refused },
): Promise<void> {
  const row = await store.payout(reference);
  if (row?.claimRunId !== runId) return;
  await store.audit({ at: now(), actor: `${by}`, action: `${action} refused`, subject: reference, detail: { why } });
}
