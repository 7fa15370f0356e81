import { DefaultLogger, makeTelemetryFilterString, Runtime } from '@temporalio/worker';
import type { Log } from '../../domain/log.ts';
import { addressRefused, addressText, type ListenAddress } from '../telemetry/listen-address.ts';

let installed = false;

/** Logged for every activity-only worker, which ours is on purpose. */
const EXPECTED = 'No workflows registered, not polling for workflow tasks';

/** Durations in seconds and names with suffixes, as the public dashboards of the Temporal SDKs expect. */
const EXPORTED = { countersTotalSuffix: true, useSecondsForDurations: true, unitSuffix: true } as const;

/**
 * Routes the SDK's log through ours; call before any worker or native connection. Only the first call of a process counts.
 * Process signals stay ours: the root decides the order in which worker and server end. `metricsAt`: address of the SDK's
 * metrics; throws a `Problem` if it cannot be used.
 */
export function installRuntime(log: Log, metricsAt?: ListenAddress): void {
  if (installed) return;
  installed = true;
  try {
    Runtime.install({
      logger: temporalLogger(log),
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

const LEVELS = { TRACE: 'trace', DEBUG: 'debug', INFO: 'info', WARN: 'warn', ERROR: 'error' } as const;

/** The SDK's lines, at their own level. */
export const temporalLogger = (log: Log): DefaultLogger =>
  new DefaultLogger('TRACE', ({ level, message, meta = {} }) => {
    if (message !== EXPECTED) log[LEVELS[level]](meta, message);
  });
