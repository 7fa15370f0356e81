import type { Executions } from '../../src/activities/deps.ts';
import { orderEndActivityId } from '../../src/domain/names.ts';
import type { WorkerProcess } from './temporal/worker-process.ts';
import type { World } from './world.ts';

/** The cluster as the product of one process reaches it: a moment away, and sometimes not at all. */
export function executionsOf(world: World, process: WorkerProcess): Executions {
  const { cluster } = world;
  const reach = async <T>(call: () => T): Promise<T> => {
    await process.wait(cluster.latency());
    if (world.strikes('temporal-unreachable', 0.3)) throw new Error('Temporal cannot be reached');
    return call();
  };
  const elsewhere = async (): Promise<never> => {
    throw new Error('batches are not simulated');
  };
  return {
    startPayout: ({ workflowId, evenCompleted }) => reach(() => world.startAgain(workflowId, evenCompleted === true)),
    startBatch: async () => {},
    cancelPayout: elsewhere,
    cardEvent: elsewhere,
    startCardPayment: elsewhere,
    wakeWatch: async ({ uid, currency }) => {
      // The store may know users of earlier seeds.
      if (!world.payouts.some(({ accepted }) => accepted.uid === uid)) return;
      await reach(() =>
        cluster.signalWithStart('orderWatch', `order-watch/${uid}/${currency}`, { uid, currency }, 'ordersOpened'),
      );
    },
    orderChanged: (workflowId, notice) =>
      reach(() => {
        world.trace.note(`watch notifies ${workflowId.slice(0, 15)}: ${notice.orderId} ${notice.status}`);
        return cluster.signal(workflowId, 'orderChanged', notice);
      }),
    awaitsEnd: (run, orderId) => reach(() => cluster.activities.isLeft(run, orderEndActivityId(orderId))),
    endOrder: ({ workflowId, runId }, orderId, paid) =>
      reach(() => {
        world.trace.note(`watch ends ${workflowId.slice(0, 15)}: ${orderId} ${paid.status}`);
        return cluster.activities.complete({ workflowId, runId }, orderEndActivityId(orderId), paid);
      }),
    approve: (workflowId, decision) => reach(() => cluster.signal(workflowId, 'approve', decision)),
    reject: elsewhere,
    readAgain: (workflowId) => reach(() => cluster.signal(workflowId, 'orderChanged')),
    isOpen: (workflowId) => reach(() => cluster.isOpen(workflowId)),
  };
}
