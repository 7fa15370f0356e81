import { NativeConnection } from '@temporalio/worker';
import { type TemporalTarget, TemporalUnreachableError } from './connection.ts';

/** The connection a worker needs; in a file of its own because it loads the native core, which clients do without. */
export async function connectWorker(target: TemporalTarget): Promise<NativeConnection> {
  return NativeConnection.connect(target.connect.reveal()).catch((error: unknown) => {
    throw new TemporalUnreachableError(target.address, error);
  });
}
