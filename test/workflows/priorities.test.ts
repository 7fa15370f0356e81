import { WorkflowNotFoundError } from '@temporalio/client';
import { expect, it } from 'vitest';
import { referenceOf } from '../../src/domain/identity.ts';
import { payoutWorkflowId } from '../../src/domain/names.ts';
import { eventTimeOf } from '../support/event-time.ts';
import { type Product, startProduct } from '../support/product.ts';
import { until } from '../support/until.ts';

const BACKLOG = 60;
const OTHER = { uid: 'u-1002', account_id: 'acc-u1002-usd', beneficiary_id: 'ben-u1002-usd-local' };

it('of what waits for a worker each user has a turn', async () => {
  await using product = await startProduct();
  await product.stopWorker();
  const many = Array.from({ length: BACKLOG }, (_, at) => `many-${at}`);
  for (const id of many) await product.start({ id });
  await product.start({ id: 'other', ...OTHER });
  await product.start({ id: 'long-uid', ...OTHER, uid: `u-${'1'.repeat(100)}` });
  await product.restartWorker();
  const begun = async (uid: string, id: string) => await beginningOf(product, uid, id);
  const all = (): Promise<(number | undefined)[]> => Promise.all(many.map((id) => begun('u-1001', id)));
  await until(async () => (await all()).every((at) => at !== undefined));
  const other = (await begun('u-1002', 'other')) ?? Number.POSITIVE_INFINITY;
  const before = (await all()).filter((at) => (at ?? 0) < other).length;
  // First come, first served would make it all of them.
  expect(before).toBeLessThan(BACKLOG / 4);
  expect(await begun(`u-${'1'.repeat(100)}`, 'long-uid')).toBeGreaterThan(0);
});

/** When a worker took the first task of a payout, epoch ms; undefined: none has. */
async function beginningOf({ client }: Product, uid: string, id: string): Promise<number | undefined> {
  try {
    const { events } = await client.workflow.getHandle(payoutWorkflowId(referenceOf(uid, id))).fetchHistory();
    return eventTimeOf(events?.find((event) => event.workflowTaskStartedEventAttributes));
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return undefined;
    throw error;
  }
}
