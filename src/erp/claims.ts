import { payoutWorkflowId } from '../domain/names.ts';
import { payloadDigest, referenceOf } from '../identity.ts';
import type { ClaimRow } from '../store/store.ts';
import type { ValidRow } from './validate.ts';

/** Gives every row the identity it is claimed, started and paid under. */
export function claimRows(rows: readonly ValidRow[]): ClaimRow[] {
  return rows.map(({ row, instruction }) => {
    const reference = referenceOf(instruction.uid, instruction.id);
    const workflowId = payoutWorkflowId(reference);
    return { row, reference, workflowId, instruction, payloadDigest: payloadDigest(instruction) };
  });
}
