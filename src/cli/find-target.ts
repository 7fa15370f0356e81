import { parseWorkflowId } from '../domain/names.ts';
import { Problem } from '../domain/problem.ts';
import type { BatchRecord, PayoutRecord, Store } from '../store/store.ts';
import { unknownId } from './batch-report.ts';

export type Target = { kind: 'batch'; batch: BatchRecord } | { kind: 'payout'; payout: PayoutRecord };

/** What an ID names: a batch, or one payout by reference, workflow id, order id or an unambiguous document id. */
export async function findTarget(store: Store, id: string): Promise<Target> {
  const parsed = parseWorkflowId(id);
  const batch = await store.batch(parsed?.kind === 'batch' ? parsed.key : id);
  if (batch !== undefined) return { kind: 'batch', batch };
  const payouts = await store.findPayouts(id, 2);
  const [payout] = payouts;
  if (payout === undefined) throw unknownId(id);
  if (payouts.length > 1) {
    throw new Problem('usage', 'ambiguous-id', `"${id}" names more than one payout.`, {
      hint: 'Use the reference; `payouts reference UID ID` prints it.',
    });
  }
  return { kind: 'payout', payout };
}

/** The batch an ID names; a payout stands for its own batch. Throws a usage error for a payout without one. */
export async function findBatch(store: Store, id: string): Promise<string> {
  const target = await findTarget(store, id);
  if (target.kind === 'batch') return target.batch.batchId;
  if (target.payout.batchId !== null) return target.payout.batchId;
  throw new Problem('not-found', 'no-batch', `"${id}" is a payout without a batch.`, {
    hint: `payouts status ${target.payout.reference} shows it.`,
  });
}
