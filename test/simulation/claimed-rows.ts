import type { PlannedPayout } from './scenario.ts';
import { planSharedExchanges } from './shared-exchanges.ts';
import { RUN_START } from './virtual-time.ts';
import type { Product, World } from './world.ts';

/**
 * Claims the rows of the batches, as `run` does with a file, and gives their workflows the brief input that a batch gives them.
 */
export async function claimRows(world: World, product: Product): Promise<void> {
  const { payouts, stores } = world;
  const shared = Map.groupBy(planSharedExchanges(world), ({ batchId }) => batchId);
  const batches = Map.groupBy(payouts, ({ batchId }) => batchId);
  for (const [batchId, planned] of batches) {
    if (batchId === undefined) continue;
    const rows = planned.map((payout, index) => rowOf(payout, index + 1, product));
    const exchanges = (shared.get(batchId) ?? []).map((payout) => rowOf(payout, 0, product));
    const by = planned[0]?.accepted.maker ?? null;
    const claim = { batchId, file: 'rows.csv', sha256: 'x', by, rows, exchanges, at: RUN_START };
    const outcome = await stores[0]?.store.claimBatch(claim);
    if (outcome?.claimed !== true) throw new Error(`batch ${batchId} was not claimed`);
    for (const { instruction, payout } of [...rows, ...exchanges])
      payout.input = product.payoutInput({ instruction, batchId, by, generation: 0 });
  }
  for (const exchange of [...shared.values()].flat()) {
    world.take(exchange);
    world.fired('shared exchange');
  }
}

/** A row as it is claimed, with what it was planned as. */
function rowOf(payout: PlannedPayout, row: number, { splitInput, payloadDigest }: Product) {
  const { reference, workflowId, accepted } = payout;
  const { uid, currency, boughtBy, kind = 'payout' as const } = accepted;
  const instruction = {
    ...splitInput(payout.input as never).instruction,
    ...(boughtBy !== undefined && { paying_account_id: `${uid}-${currency}`, exchanged_by: boughtBy }),
  };
  return { payout, row, kind, reference, workflowId, instruction, payloadDigest: payloadDigest(instruction) };
}
