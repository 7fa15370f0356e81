import { lookAlikeKey, payloadDigest, referenceOf } from '../../domain/identity.ts';
import { payoutWorkflowId } from '../../domain/names.ts';
import type { ClaimRow } from '../../store/store.ts';

/** Gives a row the ids under which it is claimed, started and paid. */
export function claimRow({
  row,
  instruction,
  generation = 0,
  original,
}: Pick<ClaimRow, 'row' | 'instruction' | 'generation' | 'original'>): ClaimRow {
  const reference = referenceOf(instruction.uid, instruction.id, 'payment', generation);
  return {
    row,
    reference,
    workflowId: payoutWorkflowId(reference),
    instruction,
    payloadDigest: payloadDigest(instruction),
    ...(generation === 0 ? {} : { generation }),
    ...(original === undefined ? {} : { original }),
    lookAlikeKey: lookAlikeKey(instruction),
  };
}
