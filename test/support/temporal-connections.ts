import { Connection } from '@temporalio/client';
import { NativeConnection } from '@temporalio/worker';
import { inject } from 'vitest';
import { createLog } from '../../src/platform/log.ts';
import { installRuntime } from '../../src/platform/temporal/worker-runtime.ts';
import { runWorkflowsLightly } from './workflows-in-this-thread.ts';

/** To the Temporal server of the tests. */
export interface TemporalConnections {
  connection: Connection;
  /** Of workers. */
  native: NativeConnection;
}

let opened: Promise<TemporalConnections> | undefined;

/**
 * Shared by all tests of a process and closed by its end: with its last native connection the runtime of the SDK would end, and
 * with that its log stays empty.
 */
export function temporalConnections(): Promise<TemporalConnections> {
  opened ??= open(inject('temporalAddress'));
  return opened;
}

async function open(address: string): Promise<TemporalConnections> {
  installRuntime(createLog('silent'));
  runWorkflowsLightly();
  return { connection: await Connection.connect({ address }), native: await NativeConnection.connect({ address }) };
}
