import type { Claim } from '../../domain/claim.ts';
import type { ActivityDeps } from '../deps.ts';
import type { Caller } from '../sending/send-once.ts';

/** What somebody has said to a payout and what counts for nothing. `by` as they named themselves. */
export interface Refused {
  action: 'approve' | 'reject' | 'cancel';
  by: string;
  why: string;
}

/** Keeps in the audit what a payout has refused. Only a run that has its claim, or had it when it ended, speaks for it. */
export async function auditRefused(
  { store, now }: Pick<ActivityDeps, 'store' | 'now'>,
  { runId }: Caller,
  { claim: { reference }, refused: { action, by, why } }: { claim: Claim; refused: Refused },
): Promise<void> {
  const row = await store.payout(reference);
  if (row?.claimRunId !== runId) return;
  await store.audit({ at: now(), actor: `${by}`, action: `${action} refused`, subject: reference, detail: { why } });
}
