import { type Client, type WorkflowHandle, WorkflowIdReusePolicy } from '@temporalio/client';
import { MESSAGES, RECONCILIATION_ID, TASK_QUEUE, WORKFLOW_TYPES } from '../../domain/names.ts';
import type { ReconciliationPass } from '../../domain/reconciliation.ts';
import { SHARED_WORK } from './priorities.ts';

/** Starts the endless reconciliation, which is also the store's claim on the namespace; a sleeping one makes a pass now. */
export async function startReconciliation(client: Client, storeId: string): Promise<void> {
  await client.workflow.signalWithStart(WORKFLOW_TYPES.reconciliation, {
    workflowId: RECONCILIATION_ID,
    taskQueue: TASK_QUEUE,
    signal: MESSAGES.reconcileNow,
    signalArgs: [],
    workflowIdReusePolicy: WorkflowIdReusePolicy.ALLOW_DUPLICATE,
    memo: { store: storeId },
    staticSummary: "compares the store with the bank's orders",
    priority: SHARED_WORK,
  });
}

/** Starts a single reconciliation pass under its own id; `days` absent: the worker's setting. */
export function startReconciliationPass(
  client: Client,
  passId: string,
  days: number | undefined,
): Promise<WorkflowHandle<() => Promise<ReconciliationPass>>> {
  return client.workflow.start<() => Promise<ReconciliationPass>>(WORKFLOW_TYPES.reconciliation, {
    workflowId: `${RECONCILIATION_ID}/${passId}`,
    taskQueue: TASK_QUEUE,
    args: [{ once: true, days }] as never,
    staticSummary: "compares the store with the bank's orders once",
    priority: SHARED_WORK,
  });
}
