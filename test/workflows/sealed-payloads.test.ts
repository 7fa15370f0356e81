import { randomUUID } from 'node:crypto';
import { Client, WorkflowFailedError } from '@temporalio/client';
import { defaultPayloadConverter, type Payload } from '@temporalio/common';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { referenceOf } from '../../src/domain/identity.ts';
import { orderEndActivityId, payoutWorkflowId, TASK_QUEUE } from '../../src/domain/names.ts';
import { HOUR_MS } from '../../src/domain/time.ts';
import { seal } from '../../src/platform/codec/encryption.ts';
import { startReconciliationPass } from '../../src/platform/temporal/workflow-executions.ts';
import { codecKeys } from '../support/codec-keys.ts';
import { failedTasks } from '../support/failed-tasks.ts';
import { assertBudget } from '../support/history-budget.ts';
import { until } from '../support/payout-routes.ts';
import { DEFAULT_INSTRUCTION, ordersUnder, type Product, startProduct } from '../support/product.ts';
import { until as untilTrue } from '../support/until.ts';

const MAKER = { by: 'alice' };

/** Somebody who can write to the namespace and has no key, against a product that encrypts. */
let product: Product;
let stranger: Client;

beforeAll(async () => {
  product = await startProduct({
    codecKeys: codecKeys(),
    settings: { approvalRules: [{ currency: 'USD', amountAtLeast: '100.00', approvals: 1 }] },
  });
  stranger = new Client({ connection: product.client.connection, namespace: product.namespace });
});

afterAll(async () => {
  await product[Symbol.asyncDispose]();
});

const idOf = (document: string): string => payoutWorkflowId(referenceOf('u-1001', document, 'payment'));

async function eventsOf(workflowId: string) {
  const { events = [] } = await stranger.workflow.getHandle(workflowId).fetchHistory();
  return events ?? [];
}

it('A payout goes through, and nothing of it is to be read in its history', async () => {
  const handle = await product.start({ id: 'sealed', note: 'CANARY-NOTE' } as never);
  expect(await handle.result()).toMatchObject({ state: 'completed' });
  const history = JSON.stringify(await eventsOf(handle.workflowId), (_key, value: unknown) =>
    value instanceof Uint8Array ? Buffer.from(value).toString('latin1') : value,
  );
  for (const clear of ['CANARY', '12.50', 'acc-u1001-usd', 'beneficiary']) expect(history).not.toContain(clear);
});

it('A payout that the watch follows keeps within 20 events of 330 bytes', async () => {
  const handle = await product.start({ id: 'small' });
  await handle.result();
  const { historySizeBytes, historyLength } = (await handle.describe()).raw.workflowExecutionInfo ?? {};
  await assertBudget(handle, 20);
  expect(Number(historySizeBytes) / Number(historyLength)).toBeLessThanOrEqual(330);
});

it('The end of an order reported in clear, as a failure, or for another payout is none: the payout reads its order', async () => {
  await using slow = await startProduct({ codecKeys: codecKeys(), sandbox: { settle: { SUBMITTED: HOUR_MS } } });
  const { connection } = slow.client;
  const keyless = new Client({ connection, namespace: slow.namespace });
  const handle = await slow.start({ id: 'told' });
  const reads = async (): Promise<number> => {
    const { events } = await keyless.workflow.getHandle(handle.workflowId).fetchHistory();
    return (events ?? []).filter((event) => event.markerRecordedEventAttributes != null).length;
  };
  const wait = async () => {
    const { raw } = await handle.describe();
    return raw.pendingActivities?.find(({ activityType }) => activityType?.name === 'awaitOrderEnd');
  };
  const paid = { status: 'COMPLETED', fee: '1.00', feeCurrency: 'USD' };
  const forgeries: ((reported: { workflowId: string; activityId: string }) => Promise<void>)[] = [
    (reported) => keyless.activity.complete(reported, paid),
    (reported) => keyless.activity.complete(reported, undefined),
    (reported) => keyless.activity.fail(reported, new Error('the order is gone')),
    // Encrypted with the key, for another workflow.
    async ({ activityId, workflowId }) => {
      const place = { namespace: slow.namespace, workflowId: idOf('other') };
      const sealed = seal(defaultPayloadConverter.toPayload(paid), place, codecKeys().current);
      const task = { namespace: slow.namespace, workflowId, activityId, result: { payloads: [sealed] } };
      await connection.workflowService.respondActivityTaskCompletedById(task);
    },
  ];
  for (const forge of forgeries) {
    await untilTrue(async () => (await wait()) !== undefined);
    const before = await reads();
    await forge({ workflowId: handle.workflowId, activityId: (await wait())?.activityId ?? '' });
    await untilTrue(async () => (await reads()) === before + 1);
  }
  expect(await slow.store.payout(referenceOf('u-1001', 'told'))).toMatchObject({ state: 'processing' });
  await slow.sandboxTest('POST', 'clock', { advance_ms: 2 * HOUR_MS });
  expect(await handle.result()).toMatchObject({ state: 'completed' });
  const { events } = await keyless.workflow.getHandle(handle.workflowId).fetchHistory();
  expect(failedTasks(events ?? [])).toEqual([]);
});

it('Who has the key can have a run end as paid, but not its row, which ends as the bank says', async () => {
  await using slow = await startProduct({
    codecKeys: codecKeys(),
    settings: { quietRowMs: 100, quietCheckMs: 100 },
    sandbox: { settle: { SUBMITTED: HOUR_MS } },
  });
  const handle = await slow.start({ id: 'forged', note: 'sandbox:fail' });
  const { workflowId } = handle;
  const reference = referenceOf('u-1001', 'forged');
  const row = () => slow.store.payout(reference);
  await untilTrue(async () => (await row())?.state === 'processing');
  const reported = { workflowId, activityId: orderEndActivityId((await row())?.orderId ?? '') };
  await untilTrue(() =>
    slow.client.activity.complete(reported, { status: 'COMPLETED' }).then(
      () => true,
      () => false,
    ),
  );
  expect(await handle.result()).toMatchObject({ state: 'completed' });
  expect(await row()).toMatchObject({ state: 'processing' });
  await slow.sandboxTest('POST', 'clock', { advance_ms: 2 * HOUR_MS });
  await startReconciliationPass(slow.client, 'after', undefined);
  await untilTrue(async () => (await row())?.state === 'failed');
});

it('A start in clear fails without a call of the bank', async () => {
  const workflowId = idOf('clear');
  const handle = await stranger.workflow.start('payout', {
    workflowId,
    taskQueue: TASK_QUEUE,
    args: [{ ...DEFAULT_INSTRUCTION, id: 'clear' }],
  });
  const failed = await product.client.workflow
    .getHandle(workflowId)
    .result()
    .catch((error: unknown) => error);
  expect(failed).toBeInstanceOf(WorkflowFailedError);
  expect((failed as WorkflowFailedError).cause?.message).toBe('its input is not encrypted');
  expect(await ordersUnder(product, referenceOf('u-1001', 'clear', 'payment'))).toEqual([]);
  // Not even why it failed is shown to those without a key.
  expect(JSON.stringify(await eventsOf(handle.workflowId))).not.toContain('not encrypted');
});

it('Approvals in clear, broken, and copied from another payout count for nothing; the next good one does', async () => {
  const asked = { amount: '250.00' };
  const first = await product.start({ id: 'first', ...asked }, MAKER);
  const second = await product.start({ id: 'second', ...asked }, MAKER);
  for (const handle of [first, second]) await until(handle, 'awaiting-approval');
  await first.signal('approve', { by: 'bob' });
  await first.result();
  const signalled = (await eventsOf(first.workflowId)).flatMap(
    ({ workflowExecutionSignaledEventAttributes: it }) => (it?.signalName === 'approve' && it.input?.payloads) || [],
  );
  const [copied] = signalled as Payload[];
  const broken = { ...copied, data: Buffer.from(copied?.data ?? []).fill(0, 20, 24) };
  const namespace = product.namespace;
  for (const payload of [copied, broken, { metadata: { encoding: Buffer.from('binary/encrypted') } }]) {
    await stranger.workflowService.signalWorkflowExecution({
      namespace,
      workflowExecution: { workflowId: second.workflowId },
      signalName: 'approve',
      input: { payloads: [payload as Payload] },
    });
  }
  const clear = stranger.workflow.getHandle(second.workflowId);
  await clear.signal('approve', { by: 'bob' });
  const update = clear.executeUpdate('decide', { args: [{ decisionId: 'd', decision: 'approve', by: 'bob' }] });
  await expect(update).rejects.toThrow();
  await expect(second.query('state')).resolves.toMatchObject({ state: 'awaiting-approval' });
  await second.signal('approve', { by: 'carol' });
  expect(await second.result()).toMatchObject({ state: 'completed' });
  expect(failedTasks(await eventsOf(second.workflowId))).toEqual([]);
});

it('What is encrypted for a payout and holds no value is dropped, and the payout goes on', async () => {
  const handle = await product.start({ id: 'unreadable', amount: '250.00' }, MAKER);
  await until(handle, 'awaiting-approval');
  const { namespace } = product;
  const noValue = { metadata: { encoding: Buffer.from('json/protobuf') }, data: Buffer.from('{"by":"bob"}') };
  const payloads = [seal(noValue, { namespace, workflowId: handle.workflowId }, codecKeys().current)];
  const workflowExecution = { workflowId: handle.workflowId };
  await stranger.workflowService.signalWorkflowExecution({
    namespace,
    workflowExecution,
    signalName: 'approve',
    input: { payloads },
    requestId: randomUUID(),
  });
  await expect(handle.query('state')).resolves.toMatchObject({ state: 'awaiting-approval' });
  await handle.signal('approve', { by: 'bob' });
  expect(await handle.result()).toMatchObject({ state: 'completed' });
  expect(failedTasks(await eventsOf(handle.workflowId))).toEqual([]);
});
