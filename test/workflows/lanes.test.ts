import { describe, expect, it } from 'vitest';
import { payloadDigest, referenceOf } from '../../src/domain/identity.ts';
import { batchWorkflowId, payoutWorkflowId } from '../../src/domain/names.ts';
import type { PayoutState } from '../../src/domain/payout-state.ts';
import { startBatch } from '../../src/platform/temporal/workflow-executions.ts';
import { DEFAULT_INSTRUCTION, type Product, startProduct } from '../support/product.ts';
import { until as untilTrue } from '../support/until.ts';

const BATCH = 'b-lane';

describe.concurrent('rows of one account', () => {
  it('short of money are paid in the order of their rows as money comes, and none is failed', async () => {
    await using product = await startProduct();
    const account = { account_id: 'acc-lane', uid: 'u-1001', currency: 'USD' };
    await product.sandboxTest('POST', 'accounts', { ...account, balance: '1.00' });
    await run(product, 6, { account_id: 'acc-lane', amount: '10.00' });
    await untilTrue(async () => (await states(product)).every((state) => state === 'awaiting-funds'));
    for (const paid of [2, 4, 6]) {
      // Enough for two rows and their fees, not for three.
      await product.sandboxTest('POST', 'accounts/acc-lane/deposit', { amount: '25.00' });
      await untilTrue(async () => (await states(product)).filter((state) => state === 'completed').length === paid);
      const now = await states(product);
      expect(now.slice(0, paid).every((state) => state === 'completed')).toBe(true);
      expect(now.slice(paid).every((state) => state === 'awaiting-funds')).toBe(true);
    }
  });

  it('that the bank refuses wait together: the rest is not released, and goes on when the account is usable', async () => {
    await using product = await startProduct({ settings: { window: 3 } });
    await product.sandboxTest('POST', 'accounts/acc-u1001-usd/freeze');
    await run(product, 12, {});
    await untilTrue(async () => (await states(product)).filter((state) => state === 'held').length === 3);
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    const frozen = await states(product);
    expect(frozen.filter((state) => state === 'received')).toHaveLength(9);
    await product.sandboxTest('POST', 'accounts/acc-u1001-usd/unfreeze');
    const result = await product.client.workflow.getHandle(batchWorkflowId(BATCH)).result();
    expect(result).toMatchObject({ counts: { completed: 12, failed: 0 } });
  });

  it('do not stop the rows of another account', async () => {
    await using product = await startProduct({ settings: { window: 1 } });
    await product.sandboxTest('POST', 'accounts', {
      account_id: 'acc-other',
      uid: 'u-1001',
      currency: 'USD',
      balance: '100.00',
    });
    await product.sandboxTest('POST', 'accounts/acc-u1001-usd/freeze');
    await run(product, 4, {}, (row) => (row > 2 ? { account_id: 'acc-other' } : {}));
    await untilTrue(async () => (await states(product)).filter((state) => state === 'completed').length === 2);
    expect((await states(product)).slice(2)).toEqual(['completed', 'completed']);
  });
});

/** Claims rows 1 to `count` and starts their batch. */
async function run(
  product: Product,
  count: number,
  fields: object,
  ofRow: (row: number) => object = () => ({}),
): Promise<void> {
  const rows = Array.from({ length: count }, (_, index) => {
    const row = index + 1;
    const instruction = { ...DEFAULT_INSTRUCTION, ...fields, ...ofRow(row), id: `lane-${row}` };
    const reference = referenceOf('u-1001', instruction.id);
    const workflowId = payoutWorkflowId(reference);
    return { row, reference, workflowId, instruction, payloadDigest: payloadDigest(instruction) };
  });
  await product.store.claimBatch({ batchId: BATCH, file: 'lane.csv', sha256: 'x', by: null, rows, at: Date.now() });
  await startBatch(product.client, BATCH, 'lane.csv');
}

async function states(product: Product): Promise<PayoutState[]> {
  const found: PayoutState[] = [];
  for await (const row of product.store.rows(BATCH)) found.push(row.state);
  return found;
}
