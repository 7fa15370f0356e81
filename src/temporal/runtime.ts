import { makeTelemetryFilterString, Runtime } from '@temporalio/worker';
import { type Log, temporalLogger } from '../log.ts';

/**
 * Sends the SDK's log lines through ours; once per process, before any worker or native connection. Signals stay ours:
 * the root decides the order in which worker and server end.
 */
export function installRuntime(log: Log): void {
  Runtime.install({
    logger: temporalLogger(log),
    telemetryOptions: { logging: { filter: makeTelemetryFilterString({ core: 'WARN', other: 'ERROR' }), forward: {} } },
    shutdownSignals: [],
  });
}
