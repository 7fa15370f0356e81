import type { PayoutRecord } from '../../store/store.ts';
import { type SignedQuestion, type VerdictDeps, verdictOn } from './verdict.ts';

/** Who has approved the row's open question; empty if it asks nothing. */
export async function approvedBy(
  authority: VerdictDeps,
  row: PayoutRecord,
  asked: SignedQuestion | undefined,
): Promise<readonly string[]> {
  if (asked === undefined) return [];
  const { settings, store } = authority;
  if (settings.policy === undefined) return store.approvalsOf(row.reference, asked.digest);
  const verdict = await verdictOn(authority, row, asked);
  return 'awaited' in verdict ? verdict.awaited.approvedBy : [];
}
