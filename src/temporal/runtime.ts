import { makeTelemetryFilterString, Runtime } from '@temporalio/worker';
import { type Log, temporalLogger } from '../log.ts';
import { addressRefused, addressText, type ListenAddress } from '../telemetry/listen-address.ts';

let installed = false;

/** Logged for every activity-only worker, which ours is on purpose. */
const EXPECTED = 'No workflows registered, not polling for workflow tasks';

/** Durations in seconds and names with suffixes, as the public dashboards of the Temporal SDKs expect. */
const EXPORTED = { countersTotalSuffix: true, useSecondsForDurations: true, unitSuffix: true } as const;

/**
 * Routes the SDK's log through ours; call before any worker or native connection. Only the first call of a process counts. Process
 * signals stay ours: the root decides the order in which worker and server end. `metricsAt`: address of the SDK's metrics; throws a
 * `Problem` if it cannot be used.
 */
export function installRuntime(log: Log, metricsAt?: ListenAddress): void {
  if (installed) return;
  installed = true;
  const logger = temporalLogger(log);
  try {
    Runtime.install({
      logger: {
        ...logger,
        log: (level, message, meta) => (message === EXPECTED ? undefined : logger.log(level, message, meta)),
      },
      telemetryOptions: {
        logging: { filter: makeTelemetryFilterString({ core: 'WARN', other: 'ERROR' }), forward: {} },
        ...(metricsAt && { metrics: { prometheus: { bindAddress: addressText(metricsAt), ...EXPORTED } } }),
      },
      shutdownSignals: [],
    });
  } catch (error) {
    if (metricsAt !== undefined && error instanceof Error && /metrics exporter/.test(error.message)) {
      throw addressRefused(metricsAt, error);
    }
    throw error;
  }
}
