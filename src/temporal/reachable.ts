import type { Client } from '@temporalio/client';
import { type TemporalAddress, TemporalUnreachableError } from './connection.ts';

const PATIENCE_MS = 5_000;

/** Throws a `TemporalUnreachableError` if the service of a connected client does not answer in time. */
export async function assertReachable(client: Client, { temporalAddress }: TemporalAddress): Promise<void> {
  try {
    await client.withDeadline(Date.now() + PATIENCE_MS, () => client.workflowService.getSystemInfo({}));
  } catch (error) {
    throw new TemporalUnreachableError(temporalAddress, error);
  }
}
