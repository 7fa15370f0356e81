import type { Connection } from '@temporalio/client';
import { msToTs } from '@temporalio/common/lib/time.js';
import { GRPC, grpcStatusOf } from '../../src/platform/temporal/connection.ts';

/**
 * A namespace of that name, without search attributes of ours. The client
 * repeats a call whose answer it did not get; the repeat is answered that the
 * namespace exists.
 */
export async function makeNamespace(connection: Connection, namespace: string): Promise<void> {
  try {
    await connection.workflowService.registerNamespace({ namespace, workflowExecutionRetentionPeriod: msToTs('1d') });
  } catch (error) {
    if (grpcStatusOf(error) !== GRPC.ALREADY_EXISTS) throw error;
  }
}
