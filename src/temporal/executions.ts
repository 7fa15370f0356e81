import {
  type Client,
  WorkflowExecutionAlreadyStartedError,
  WorkflowIdConflictPolicy,
  WorkflowIdReusePolicy,
  WorkflowNotFoundError,
  WorkflowUpdateStage,
} from '@temporalio/client';
import { defineSearchAttributeKey, SearchAttributeType } from '@temporalio/common';
import type { Executions } from '../activities/deps.ts';
import { payoutInput } from '../domain/instruction.ts';
import { batchWorkflowId, MESSAGES, orderWatchWorkflowId, TASK_QUEUE, WORKFLOW_TYPES } from '../domain/names.ts';
import type { PayoutRecord } from '../store/store.ts';

const keyword = (name: string) => defineSearchAttributeKey(name, SearchAttributeType.KEYWORD);
const payoutBatchId = keyword('PayoutBatchId');
const payoutState = keyword('PayoutState');
const payoutCurrency = keyword('PayoutCurrency');
const payoutReference = keyword('PayoutReference');
const payoutNeedsAttention = defineSearchAttributeKey('PayoutNeedsAttention', SearchAttributeType.BOOL);

/** Workflow executions as activities reach them, over a Temporal client. */
export function executionsOver(client: Client): Executions {
  const signal = async (workflowId: string, name: string, payload: unknown): Promise<boolean> =>
    ifThere(() => client.workflow.getHandle(workflowId).signal(name, payload));
  return {
    async startPayout({ workflowId, reference, batchId, currency, input, summary }) {
      try {
        await client.workflow.start(WORKFLOW_TYPES.payout, {
          workflowId,
          taskQueue: TASK_QUEUE,
          args: [input],
          workflowIdReusePolicy: WorkflowIdReusePolicy.REJECT_DUPLICATE,
          staticSummary: summary,
          typedSearchAttributes: [
            { key: payoutState, value: 'processing' },
            { key: payoutReference, value: reference },
            { key: payoutCurrency, value: currency },
            { key: payoutNeedsAttention, value: false },
            ...(batchId === null ? [] : [{ key: payoutBatchId, value: batchId }]),
          ],
        });
        return 'started';
      } catch (error) {
        if (error instanceof WorkflowExecutionAlreadyStartedError) return 'already-started';
        throw error;
      }
    },
    async wakeWatch({ uid, currency }) {
      await client.workflow.signalWithStart(WORKFLOW_TYPES.orderWatch, {
        workflowId: orderWatchWorkflowId(uid, currency),
        taskQueue: TASK_QUEUE,
        args: [{ uid, currency }],
        signal: MESSAGES.ordersOpened,
        signalArgs: [],
        staticSummary: `watches the ${currency} orders of one user`,
      });
    },
    orderChanged: (workflowId, notice) => signal(workflowId, MESSAGES.orderChanged, notice),
    approve: (workflowId, decision) => signal(workflowId, MESSAGES.approve, decision),
    // Accepted is enough: the payout answers when it knows, and its row shows it.
    cancelPayout: (workflowId, request) =>
      ifThere(() =>
        client.workflow.getHandle(workflowId).startUpdate(MESSAGES.cancel, {
          args: [request],
          waitForStage: WorkflowUpdateStage.ACCEPTED,
        }),
      ),
    async isOpen(workflowId) {
      try {
        const description = await client.workflow.getHandle(workflowId).describe();
        return description.status.name === 'RUNNING' || description.status.name === 'PAUSED';
      } catch (error) {
        if (error instanceof WorkflowNotFoundError) return false;
        throw error;
      }
    },
  };
}

/** Starts the workflow of a claimed batch unless it runs; a batch without an end is always safe to start again. */
export async function startBatch(client: Client, batchId: string, file: string): Promise<void> {
  await client.workflow.start(WORKFLOW_TYPES.payoutBatch, {
    workflowId: batchWorkflowId(batchId),
    taskQueue: TASK_QUEUE,
    args: [{ batchId }],
    workflowIdConflictPolicy: WorkflowIdConflictPolicy.USE_EXISTING,
    workflowIdReusePolicy: WorkflowIdReusePolicy.ALLOW_DUPLICATE,
    staticSummary: `batch of ${file}`,
    typedSearchAttributes: [{ key: payoutBatchId, value: batchId }],
  });
}

/** Starts the workflow of a payout again after it was closed without an end (terminated, say). */
export async function restartPayout(client: Client, payout: PayoutRecord): Promise<void> {
  await client.workflow.start(WORKFLOW_TYPES.payout, {
    workflowId: payout.workflowId,
    taskQueue: TASK_QUEUE,
    args: [payoutInput(payout)],
    workflowIdReusePolicy: WorkflowIdReusePolicy.ALLOW_DUPLICATE,
    staticSummary: `${payout.currency} ${payout.amount}, document ${payout.documentId}, started again`,
  });
}

async function ifThere(call: () => Promise<unknown>): Promise<boolean> {
  try {
    await call();
    return true;
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return false;
    throw error;
  }
}
