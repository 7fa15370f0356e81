import type { OriginalTransaction } from '../domain/bank-message.ts';
import type { PayoutInstruction } from '../domain/instruction.ts';
import { payoutWorkflowId } from '../domain/names.ts';
import { lookAlikeKey, payloadDigest, referenceOf } from '../identity.ts';
import type { ClaimRow } from '../store/store.ts';

/** Gives a row the identity it is claimed, started and paid under. */
export function claimRow(given: {
  row: number;
  instruction: PayoutInstruction;
  generation?: number;
  original?: OriginalTransaction;
}): ClaimRow {
  const { row, instruction, generation = 0, original } = given;
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
