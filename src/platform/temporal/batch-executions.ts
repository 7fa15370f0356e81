import {
  type Client,
  WorkflowIdConflictPolicy,
  WorkflowIdReusePolicy,
  WorkflowUpdateFailedError,
} from '@temporalio/client';
import type { Policy } from '../../domain/authority.ts';
import { batchWorkflowId, MESSAGES, TASK_QUEUE, WORKFLOW_TYPES } from '../../domain/names.ts';
import type { BatchControl } from '../../domain/payout-state.ts';
import { Problem } from '../../domain/problem.ts';
import { inMarkdown } from '../../domain/text.ts';
import type { BatchRecord, Store } from '../../store/store.ts';
import { searchAttributes } from '../../workflows/search-attributes.ts';
import { SHARED_WORK } from './priorities.ts';

/** Starts the workflow of a claimed batch unless it runs; a batch without an end can always be started again. */
export async function startBatch(client: Client, batchId: string, file: string): Promise<void> {
  await client.workflow.start(WORKFLOW_TYPES.payoutBatch, {
    workflowId: batchWorkflowId(batchId),
    taskQueue: TASK_QUEUE,
    args: [{ batchId }],
    workflowIdConflictPolicy: WorkflowIdConflictPolicy.USE_EXISTING,
    workflowIdReusePolicy: WorkflowIdReusePolicy.ALLOW_DUPLICATE,
    staticSummary: `batch of ${inMarkdown(file)}`,
    priority: SHARED_WORK,
    typedSearchAttributes: searchAttributes({ PayoutBatchId: batchId }),
  });
}

interface BatchControls {
  client: Client;
  store: Pick<Store, 'controlBatch'>;
  settings: { policy?: Policy };
}

/** Updates that let a batch continue, and the control they set. */
const CONTINUING_UPDATES: ReadonlyMap<string, BatchControl> = new Map([
  [MESSAGES.resume, 'running'],
  [MESSAGES.drain, 'draining'],
]);

/** Whether it lets a batch go on that somebody has stopped; to drain one that runs only holds back. */
export const continuesStopped = (update: string, { control }: Pick<BatchRecord, 'control'>): boolean =>
  CONTINUING_UPDATES.has(update) && (update === MESSAGES.resume || control === 'paused');

/**
 * Pauses, drains, resumes or cancels a batch by an update of its workflow, which is started if it does not run. Under a policy,
 * workers accept no update that lets a batch continue, so that control is stored here. Throws a `Problem` if the workflow
 * refuses.
 */
export async function updateBatch(
  { client, store, settings: { policy } }: BatchControls,
  { batchId, file }: Pick<BatchRecord, 'batchId' | 'file'>,
  update: string,
  by: string,
): Promise<{ control: BatchControl }> {
  const goesOnAs = policy && CONTINUING_UPDATES.get(update);
  const controlled = goesOnAs && (await store.controlBatch({ batchId, control: goesOnAs, by, at: Date.now() }));
  await startBatch(client, batchId, file);
  if (controlled !== undefined) return { control: controlled };
  return client.workflow
    .getHandle(batchWorkflowId(batchId))
    .executeUpdate<{ control: BatchControl }, [{ by: string }]>(update, { args: [{ by }] })
    .catch((error: unknown) => {
      if (!(error instanceof WorkflowUpdateFailedError)) throw error;
      throw new Problem('conflict', 'control-refused', `Not possible now: ${error.cause?.message ?? error.message}.`, {
        cause: error,
      });
    });
}
