import { makeTelemetryFilterString, Runtime } from '@temporalio/worker';
import { type Log, temporalLogger } from '../log.ts';

let installed = false;

/** Said of every worker of activities alone; ours is meant to be one. */
const EXPECTED = 'No workflows registered, not polling for workflow tasks';

/**
 * Sends the SDK's log lines through ours, before any worker or native connection; the first log of a process stays. Signals
 * stay ours: the root decides the order in which worker and server end.
 */
export function installRuntime(log: Log): void {
  if (installed) return;
  installed = true;
  const logger = temporalLogger(log);
  Runtime.install({
    logger: {
      ...logger,
      log: (level, message, meta) => (message === EXPECTED ? undefined : logger.log(level, message, meta)),
    },
    telemetryOptions: { logging: { filter: makeTelemetryFilterString({ core: 'WARN', other: 'ERROR' }), forward: {} } },
    shutdownSignals: [],
  });
}
