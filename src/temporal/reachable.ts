import type { Client } from '@temporalio/client';
import { type TemporalAddress, TemporalUnreachableError } from './connection.ts';

const PATIENCE_MS = 5_000;

/**
 * Throws a `TemporalUnreachableError` if the service of a connected client does not answer in time. Asks what the service has to read
 * from its database: others it answers without one.
 */
export async function assertReachable(client: Client, { temporalAddress }: TemporalAddress): Promise<void> {
  try {
    const { namespace } = client.options;
    await client.withDeadline(Date.now() + PATIENCE_MS, () => client.workflowService.describeNamespace({ namespace }));
  } catch (error) {
    throw new TemporalUnreachableError(temporalAddress, error);
  }
}
