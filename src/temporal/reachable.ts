import type { Client } from '@temporalio/client';
import { type TemporalAddress, TemporalUnreachableError } from './connection.ts';

const PATIENCE_MS = 5_000;

/** Throws a `TemporalUnreachableError` when the service of a client that was connected before does not answer soon. */
export async function assertReachable(client: Client, { temporalAddress }: TemporalAddress): Promise<void> {
  try {
    await client.withDeadline(Date.now() + PATIENCE_MS, () => client.workflowService.getSystemInfo({}));
  } catch (error) {
    throw new TemporalUnreachableError(temporalAddress, error);
  }
}
