import type { PlannedPayout } from './scenario.ts';
import { RUN_START } from './virtual-time.ts';
import type { Product, World } from './world.ts';

/**
 * Claims the rows of the batches, as `run` does with a file, and gives their workflows the brief input that a batch gives them.
 */
export async function claimRows({ payouts, stores }: World, product: Product): Promise<void> {
  const batches = Map.groupBy(payouts, ({ batchId }) => batchId);
  for (const [batchId, planned] of batches) {
    if (batchId === undefined) continue;
    const rows = planned.map((payout, index) => rowOf(payout, index + 1, product));
    const by = planned[0]?.accepted.maker ?? null;
    const claim = { batchId, file: 'rows.csv', sha256: 'x', by, rows, at: RUN_START };
    const outcome = await stores[0]?.store.claimBatch(claim);
    if (outcome?.claimed !== true) throw new Error(`batch ${batchId} was not claimed`);
    for (const [index, payout] of planned.entries()) {
      const { instruction } = rows[index] as (typeof rows)[number];
      payout.input = product.payoutInput({ instruction, batchId, by, generation: 0 });
    }
  }
}

function rowOf({ input, reference, workflowId }: PlannedPayout, row: number, { splitInput, payloadDigest }: Product) {
  const { instruction } = splitInput(input as never);
  return { row, reference, workflowId, instruction, payloadDigest: payloadDigest(instruction) };
}
