import { setTimeout as timer } from 'node:timers/promises';
import { type Client, WorkflowNotFoundError } from '@temporalio/client';

const PULSE_MS = 250;
const PATIENCE_MS = 30_000;

/** Waits until a workflow has nothing under way, has ended, or is not there. */
export async function untilCarriedOut(client: Client, workflowId: string): Promise<void> {
  await untilTrue(async () => {
    const shown = await client.workflow.getHandle(workflowId).describe().catch(unlessGone);
    if (shown?.status.name !== 'RUNNING') return true;
    return shown.raw.pendingActivities?.length === 0 && shown.raw.pendingWorkflowTask == null;
  });
}

function unlessGone(error: unknown): undefined {
  if (!(error instanceof WorkflowNotFoundError)) throw error;
}

/** Waits for something that comes soon or, after the patience, without us. */
export async function untilTrue(condition: () => Promise<boolean>): Promise<void> {
  const until = performance.now() + PATIENCE_MS;
  while (!(await condition()) && performance.now() < until) await timer(PULSE_MS);
}
