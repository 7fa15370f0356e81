import { NativeConnection } from '@temporalio/worker';
import type { Config } from '../config.ts';
import { connectOptions, type TemporalAddress, TemporalUnreachableError } from './connection.ts';

/** The worker's connection; in its own file because it loads the native core, which clients do without. */
export async function connectWorker(config: Pick<Config, 'temporal'>, at: TemporalAddress): Promise<NativeConnection> {
  return NativeConnection.connect(connectOptions(config, at)).catch((error: unknown) => {
    throw new TemporalUnreachableError(at.temporalAddress, error);
  });
}
