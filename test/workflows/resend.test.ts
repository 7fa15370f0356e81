import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { referenceOf } from '../../src/domain/identity.ts';
import { restartPayout } from '../../src/platform/temporal/workflow-executions.ts';
import type { PayoutHandle } from '../support/payout-routes.ts';
import { type Product, startProduct } from '../support/product.ts';

const LOST = { kind: 'drop-before' };

interface SeenOrder {
  client_order_id: string;
  expired_at: number | null;
}

describe.concurrent('an order that is sent again', () => {
  it('has the bytes of the first attempt', async () => {
    await using product = await startProduct();
    await product.sandboxTest('POST', 'faults', { operation: 'transactions.payment', ...LOST });
    const handle = await product.start({ id: 'same-run' });
    expect(await handle.result()).toMatchObject({ state: 'completed' });
    await expectSameBytes(product, referenceOf('u-1001', 'same-run'));
  });

  it('has them in a run that was started again, too', async () => {
    await using product = await startProduct();
    await product.sandboxTest('POST', 'faults', { operation: 'transactions.payment', ...LOST });
    const again = await restartedWhile(product, { id: 'restarted' }, 'payment');
    expect(await again.result()).toMatchObject({ state: 'completed' });
    await expectSameBytes(product, referenceOf('u-1001', 'restarted'));
  });

  it('has them for an exchange of a run that was started again, too', async () => {
    await using product = await startProduct();
    await product.sandboxTest('POST', 'faults', { operation: 'transactions.fx', ...LOST });
    const again = await restartedWhile(product, { id: 'fx', account_id: 'acc-u1001-eur' }, 'exchange');
    expect(await again.result()).toMatchObject({ state: 'completed' });
    await expectSameBytes(product, referenceOf('u-1001', 'fx', 'exchange'));
  });

  it('may differ after a clean refusal: the bank has judged and done nothing', async () => {
    await using product = await startProduct();
    const refused = { operation: 'transactions.payment', kind: 'code', code: 2007, commit: false };
    await product.sandboxTest('POST', 'faults', refused);
    const handle = await product.start({ id: 'refused' });
    expect(await handle.result()).toMatchObject({ state: 'completed' });
    const [first, second] = await product.store.attempts(referenceOf('u-1001', 'refused'));
    expect(second?.request).not.toEqual(first?.request);
  });
});

/** Terminates a payout while it searches for a lost order, and starts it again a while later. */
async function restartedWhile(
  product: Product,
  instruction: { id: string; account_id?: string },
  kind: 'payment' | 'exchange',
): Promise<PayoutHandle> {
  const handle = await product.start(instruction);
  const reference = referenceOf('u-1001', instruction.id);
  const sent = referenceOf('u-1001', instruction.id, kind);
  while ((await product.store.attempts(sent))[0]?.outcome !== 'ambiguous') await pause(50);
  await handle.terminate('test');
  await pause(300);
  const row = await product.store.payout(reference);
  if (row === undefined) throw new Error('the payout has no row');
  await restartPayout(product.client, row);
  return product.client.workflow.getHandle(handle.workflowId);
}

async function expectSameBytes(product: Product, reference: string): Promise<void> {
  const [first, second, ...more] = await product.store.attempts(reference);
  expect(more).toEqual([]);
  expect(second?.request).toEqual(first?.request);
  const { orders } = (await product.sandboxTest('GET', 'state')) as { orders: SeenOrder[] };
  const [order] = orders.filter(({ client_order_id }) => client_order_id === reference);
  expect(order?.expired_at).toBe(first?.request?.expiredAt);
}
