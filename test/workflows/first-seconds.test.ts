import { setTimeout as timer } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { Bank } from '../../src/bank/bank.ts';
import { payloadDigest, referenceOf } from '../../src/domain/identity.ts';
import { MESSAGES, payoutWorkflowId } from '../../src/domain/names.ts';
import { resolvePayout, startBatch, updatePayout } from '../../src/platform/temporal/workflow-executions.ts';
import type { PayoutRecord } from '../../src/store/store.ts';
import type { PayoutHandle } from '../support/payout-routes.ts';
import { DEFAULT_INSTRUCTION, ordersUnder, type Product, startProduct } from '../support/product.ts';
import { recordHistory } from '../support/record-history.ts';

/** What people ask of a payout before it has read the bank, or before its batch has started it. */
const ONE_APPROVES = { approvalRules: [{ approvals: 1 }] };

const decide = (handle: PayoutHandle, decisionId: string, more: object): Promise<unknown> =>
  handle.executeUpdate('decide', { args: [{ decisionId, by: 'checker', ...more }] });

/** A bank that shows accounts after a time. */
const slow =
  (ms: number) =>
  (bank: Bank): Bank => {
    const { get, ofUser } = bank.accounts;
    const later =
      <Given extends unknown[], Answer>(call: (...given: Given) => Promise<Answer>) =>
      (...given: Given): Promise<Answer> =>
        timer(ms).then(() => call(...given));
    return { ...bank, accounts: { ...bank.accounts, get: later(get), ofUser: later(ofUser) } };
  };

/** A batch of one row, claimed and not started. */
async function claimed(product: Product, id: string): Promise<PayoutRecord> {
  const instruction = { ...DEFAULT_INSTRUCTION, id };
  const reference = referenceOf(instruction.uid, id);
  const workflowId = payoutWorkflowId(reference);
  const row = { row: 1, reference, workflowId, instruction, payloadDigest: payloadDigest(instruction) };
  await product.store.claimBatch({ batchId: id, file: 'x.csv', sha256: 'x', by: 'maker', rows: [row], at: Date.now() });
  return (await product.store.payout(reference)) as PayoutRecord;
}

describe.concurrent('right after the start', () => {
  it('an approval counts, twenty times in a row', async () => {
    await using product = await startProduct({ settings: ONE_APPROVES });
    for (let index = 1; index <= 20; index += 1) {
      const handle = await product.start({ id: `approved-${index}` }, { by: 'maker' });
      expect(await decide(handle, 'd-1', { decision: 'approve' })).toMatchObject({ outcome: 'approved' });
      expect(await handle.result()).toMatchObject({ state: 'completed' });
      if (index === 1) await recordHistory(handle, 'payout', 'approved-before-it-asked');
    }
  });

  it('a rejection counts, and nothing is sent', async () => {
    await using product = await startProduct({ settings: ONE_APPROVES });
    for (let index = 1; index <= 20; index += 1) {
      const id = `rejected-${index}`;
      const handle = await product.start({ id }, { by: 'maker' });
      const reported = decide(handle, 'd-1', { decision: 'reject', remark: 'not ours' });
      expect(await reported).toMatchObject({ outcome: 'rejected' });
      expect(await handle.result()).toMatchObject({ state: 'rejected' });
      expect(await ordersUnder(product, referenceOf('u-1001', id))).toEqual([]);
    }
  });

  it('an approval of a payout that asks nobody is refused, and it is paid', async () => {
    await using product = await startProduct();
    const handle = await product.start({ id: 'asks-nobody' }, { by: 'maker' });
    const reported = decide(handle, 'd-1', { decision: 'approve' });
    await expect(reported).rejects.toMatchObject({ cause: { message: 'no approval is awaited' } });
    expect(await handle.result()).toMatchObject({ state: 'completed' });
  });

  it('a payout that does not reach the bank says when to come back', async () => {
    await using product = await startProduct({ settings: ONE_APPROVES, bank: slow(12_000) });
    const handle = await product.start({ id: 'slow' }, { by: 'maker' });
    const reported = decide(handle, 'd-1', { decision: 'approve' });
    await expect(reported).rejects.toMatchObject({ cause: { message: expect.stringContaining('again in a minute') } });
  });

  it('a cancel stops it, also before its batch has started it', async () => {
    await using product = await startProduct();
    for (let index = 1; index <= 20; index += 1) {
      const row = await claimed(product, `cancelled-${index}`);
      const reported = updatePayout(product, row, MESSAGES.cancel, { by: 'ann', reason: 'withdrawn' });
      if (index % 2 === 0) await timer(100);
      await startBatch(product.client, `cancelled-${index}`, 'x.csv');
      const outcome = await reported;
      const { state } = (await product.client.workflow.getHandle(row.workflowId).result()) as { state: string };
      // On a slow machine it may be sent before the cancel arrives; the answer then does not say that it is cancelled.
      expect(state === 'cancelled' ? ['cancelled', 'pending'] : ['too-late', 'pending']).toContain(outcome);
    }
  });

  it('of a batch that is never started, the answer says so', async () => {
    await using product = await startProduct();
    const row = await claimed(product, 'never');
    for (const update of [MESSAGES.cancel, MESSAGES.decide] as const) {
      const reported = await updatePayout(product, row, update, { by: 'ann', reason: 'withdrawn' });
      expect(reported).toEqual({ refused: expect.stringContaining('has not started it yet') });
    }
    const request = { action: 'keep-looking', by: 'ann', evidence: 'none' } as const;
    expect(await resolvePayout(product, row, request)).toEqual({
      refused: expect.stringContaining('has not started it yet'),
    });
    // A resolve starts closed workflows again, but none in the place of its batch.
    await expect(product.client.workflow.getHandle(row.workflowId).describe()).rejects.toThrow('not found');
  });
});
