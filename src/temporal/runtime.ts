import { makeTelemetryFilterString, Runtime } from '@temporalio/worker';
import { type Log, temporalLogger } from '../log.ts';
import { addressRefused, addressText, type ListenAddress } from '../telemetry/listen-address.ts';

let installed = false;

/** Said of every worker of activities alone; ours is meant to be one. */
const EXPECTED = 'No workflows registered, not polling for workflow tasks';

/** Buckets in seconds, as the counters' and histograms' names are what the public dashboards of the Temporal SDKs read. */
const EXPORTED = { countersTotalSuffix: true, useSecondsForDurations: true, unitSuffix: true } as const;

/**
 * Sends the SDK's log lines through ours, before any worker or native connection; the first log of a process stays. Signals
 * stay ours: the root decides the order in which worker and server end. `metricsAt`: where the SDK's metrics are shown; throws a
 * `Problem` where they cannot be.
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
