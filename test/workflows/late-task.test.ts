import { setTimeout as timer } from 'node:timers/promises';
import { Worker } from '@temporalio/worker';
import { describe, expect, inject, it } from 'vitest';
import { referenceOf } from '../../src/domain/identity.ts';
import { payoutWorkflowId, TASK_QUEUE } from '../../src/domain/names.ts';
import { AFTER_LOST_TASK } from '../support/failed-tasks.ts';
import { openLateServer } from '../support/late-server.ts';
import { type PayoutHandle, until } from '../support/payout-routes.ts';
import { DEFAULT_INSTRUCTION, type Product, startProduct } from '../support/product.ts';
import { until as untilTrue } from '../support/until.ts';

/**
 * Time limit of a workflow task, and how late its worker receives it: at the server the time is over before the worker has had
 * 80% of it, when the SDK would request another task.
 */
const TASK_MS = 8_000;
const LATE_MS = 5_000;
/** How long the worker may take for the second task; a local activity has 7 s. */
const PROCESSED_MS = 2_500;

const start = (product: Product, id: string): Promise<PayoutHandle> =>
  product.client.workflow.start<() => Promise<never>>('payout', {
    workflowId: payoutWorkflowId(referenceOf(DEFAULT_INSTRUCTION.uid, id)),
    taskQueue: TASK_QUEUE,
    args: [{ ...DEFAULT_INSTRUCTION, id, by: 'mia' }] as never,
    workflowTaskTimeout: TASK_MS,
  });

async function tasksOf(handle: PayoutHandle): Promise<{ begun: number; timedOut: number; failed: string[] }> {
  const events = (await handle.fetchHistory()).events ?? [];
  return {
    begun: events.filter((event) => event.workflowTaskStartedEventAttributes != null).length,
    timedOut: events.filter((event) => event.workflowTaskTimedOutEventAttributes != null).length,
    failed: events.flatMap(({ workflowTaskFailedEventAttributes: failed }) => failed?.failure?.message ?? []),
  };
}

/**
 * A payout whose first workflow task times out while a local activity stores that approval is awaited; `message` is sent meanwhile.
 * A machine that is too busy for that order of events tries it with another payout. Its history must replay: then the payout is
 * approved, and paid. Returns the failures of its tasks, and how often that local activity ran.
 */
async function afterLateTask(message: (handle: PayoutHandle) => Promise<void>) {
  await using server = await openLateServer();
  let runs = 0;
  let mayStore = Promise.withResolvers<void>();
  await using product = await startProduct({
    native: server.native,
    settings: { approvalRules: [{ approvals: 1 }] },
    store: (store) => ({
      ...store,
      async changePayout(reference, change) {
        if (change.state === 'awaiting-approval') {
          runs += 1;
          await mayStore.promise;
        }
        return store.changePayout(reference, change);
      },
    }),
  });
  for (let attempt = 1; ; attempt += 1) {
    runs = 0;
    mayStore = Promise.withResolvers<void>();
    const letThrough = server.holdBack();
    const handle = await start(product, `late-${attempt}`);
    await untilTrue(async () => (await tasksOf(handle)).begun > 0);
    await timer(LATE_MS);
    letThrough();
    await untilTrue(async () => runs > 0);
    const isInTime = (await tasksOf(handle)).begun === 1;
    await message(handle);
    await untilTrue(async () => (await tasksOf(handle)).begun > 1);
    for (let ms = 0; ms < PROCESSED_MS && runs === 1; ms += 100) await timer(100);
    mayStore.resolve();
    await until(handle, 'awaiting-approval');
    const { timedOut, failed } = await tasksOf(handle);
    if (!isInTime || timedOut === 0) continue;

    const workflowBundle = { codePath: inject('workflowBundlePath') };
    await Worker.runReplayHistory({ workflowBundle }, await handle.fetchHistory());
    await product.restartWorker();
    await handle.signal('approve', { by: 'ann' });
    expect(await handle.result()).toMatchObject({ state: 'completed' });
    return { failed, runs };
  }
}

describe.concurrent('a workflow task that times out while a local activity runs', () => {
  it('stops no payout for ever, though a message comes with the next task', async () => {
    // Of the maker: it is refused, and an activity puts that into the audit.
    const { failed, runs } = await afterLateTask((handle) => handle.signal('approve', { by: 'mia' }));
    expect(failed).toEqual([AFTER_LOST_TASK]);
    expect(runs).toBe(2);
  });

  it('does nothing that has the time of another task in a replay', async () => {
    const { failed, runs } = await afterLateTask(async () => {});
    // The server does not record the failure of a task that is tried again.
    expect(failed).toEqual([]);
    expect(runs).toBe(2);
  });
});
