import { setTimeout as timer } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { described } from './executions.ts';

const PULSE_MS = 250;
const PATIENCE_MS = 30_000;

/** Waits until a workflow has no pending activity or workflow task, is closed, or does not exist. */
export async function untilCarriedOut(client: Client, workflowId: string): Promise<void> {
  await untilTrue(async () => {
    const shown = await described(client, workflowId);
    if (shown?.status.name !== 'RUNNING') return true;
    return shown.raw.pendingActivities?.length === 0 && shown.raw.pendingWorkflowTask == null;
  });
}

/** Polls until the condition holds or the patience is over. */
export async function untilTrue(condition: () => Promise<boolean>): Promise<void> {
  const until = performance.now() + PATIENCE_MS;
  while (!(await condition()) && performance.now() < until) await timer(PULSE_MS);
}
