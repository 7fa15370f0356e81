import type { WorkflowHandle } from '@temporalio/client';
import type { BatchProgress } from '../../src/activities/batch.ts';
import type { PayoutInstruction } from '../../src/domain/instruction.ts';
import { batchWorkflowId } from '../../src/domain/names.ts';
import { bindRows, quoteExchanges } from '../../src/files/intake/exchange-quotes.ts';
import { StagedFile } from '../../src/files/intake/staged-file.ts';
import { startBatch } from '../../src/platform/temporal/workflow-executions.ts';
import type { ClaimRow } from '../../src/store/store.ts';
import { BATCH, rowsOf } from './claimed-batch.ts';
import type { Product } from './product.ts';

/** Rows of a euro account that pay dollars, and the exchange that buys for all of them, as a plan makes it. */
async function exchangedRows(
  { bank, store }: Pick<Product, 'bank' | 'store'>,
  fields: readonly Partial<PayoutInstruction>[],
  maxSlippage = '0.01',
): Promise<{ rows: ClaimRow[]; exchanges: readonly ClaimRow[]; quoted: string }> {
  using staged = new StagedFile();
  for (const claim of rowsOf(fields.map((given) => ({ account_id: 'acc-u1001-eur', ...given })))) staged.claim(claim);
  staged.accounts = new Map([['acc-u1001-eur', { uid: 'u-1001', currency: 'EUR' }]]);
  // Nothing is known of what the account that pays holds: all is bought.
  const ofUser = async (uid: string) =>
    (await bank.accounts.ofUser(uid)).map((it) => ({ ...it, isStale: true as const }));
  const unknowing = { ...bank, accounts: { ...bank.accounts, ofUser } };
  const quotes = await quoteExchanges({ bank: unknowing, store }, staged, { maxSlippage, exchange: 'per-batch' });
  await bindRows(staged, quotes);
  return { rows: [...staged.claims()], exchanges: staged.exchanges, quoted: quotes[0]?.sellAmount ?? '' };
}

/** Claims such rows as a batch and starts it. `exchange`: the reference of its exchange; `quoted`: what it sells by its plan. */
export async function runExchanged(
  product: Product,
  fields: readonly Partial<PayoutInstruction>[],
  more: { canary?: number } = {},
): Promise<{ batch: WorkflowHandle<() => Promise<BatchProgress>>; exchange: string; quoted: string }> {
  const { store, client } = product;
  const { quoted, ...planned } = await exchangedRows(product, fields);
  const claim = { batchId: BATCH, file: 'test.csv', sha256: 'x', by: 'maker', at: Date.now(), ...planned, ...more };
  const claimed = await store.claimBatch(claim);
  if (!claimed.claimed) throw new Error('not claimed');
  await startBatch(client, BATCH, 'test.csv');
  const [exchange] = planned.exchanges;
  return { batch: client.workflow.getHandle(batchWorkflowId(BATCH)), exchange: exchange?.reference ?? '', quoted };
}
