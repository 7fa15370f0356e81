import { makeTelemetryFilterString, Runtime } from '@temporalio/worker';
import { type Log, temporalLogger } from '../log.ts';

let installed = false;

/** Said of every worker of activities alone; ours is meant to be one. */
const EXPECTED = 'No workflows registered, not polling for workflow tasks';

/** Buckets in seconds, as the counters' and histograms' names are what the public dashboards of the Temporal SDKs read. */
const EXPORTED = { countersTotalSuffix: true, useSecondsForDurations: true, unitSuffix: true } as const;

/**
 * Sends the SDK's log lines through ours, before any worker or native connection; the first log of a process stays. Signals
 * stay ours: the root decides the order in which worker and server end.
 */
export function installRuntime(log: Log, metricsAt?: { host: string; port: number }): void {
  if (installed) return;
  installed = true;
  const logger = temporalLogger(log);
  Runtime.install({
    logger: {
      ...logger,
      log: (level, message, meta) => (message === EXPECTED ? undefined : logger.log(level, message, meta)),
    },
    telemetryOptions: {
      logging: { filter: makeTelemetryFilterString({ core: 'WARN', other: 'ERROR' }), forward: {} },
      ...(metricsAt && { metrics: { prometheus: { bindAddress: bindAddress(metricsAt), ...EXPORTED } } }),
    },
    shutdownSignals: [],
  });
}

const bindAddress = ({ host, port }: { host: string; port: number }): string =>
  `${host.includes(':') ? `[${host}]` : host}:${port}`;
