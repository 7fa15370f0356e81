import type { Bank } from '../api/bank.ts';
import type { TracesConfig } from '../config/traces.ts';
import type { Config } from '../config.ts';
import { proofFrom } from '../domain/absence.ts';
import type { Log } from '../log.ts';
import type { Store } from '../store/store.ts';
import type { ListenAddress } from '../telemetry/listen-address.ts';
import { createMetrics, type Metrics } from '../telemetry/metrics.ts';
import { startProbeServer } from '../telemetry/probe-server.ts';
import { type ReadinessProbes, readinessOf } from '../telemetry/readiness.ts';
import { storeFigures } from '../telemetry/store-figures.ts';
import type { Tracing } from '../telemetry/tracing.ts';

/** What a part of a process tells about itself. */
export interface Telemetry {
  metrics: Metrics;
  /** Answers probes where the configuration has an address for them, from now on. */
  serve(parts: ReadinessProbes<string>, of: Pick<TelemetryDeps, 'store' | 'bank'>): Promise<void>;
  /** It has been told to end: whoever asks whether it is ready hears that it is not. */
  drain(): void;
  close(): Promise<void>;
}

interface TelemetryDeps {
  config: Pick<Config, 'settings'>;
  store: Store;
  bank: Pick<Bank, 'clock'>;
  log: Log;
}

/** `address` undefined: everything is counted and nobody is told. */
export function telemetryAt(
  address: ListenAddress | undefined,
  { config, log }: Pick<TelemetryDeps, 'config' | 'log'>,
): Telemetry {
  const metrics = createMetrics({ ofProcess: address !== undefined });
  let isTaking = true;
  let server: { close(): Promise<void> } | undefined;
  return {
    metrics,
    async serve(parts, { store, bank }) {
      if (address === undefined) return;
      const { waits } = config.settings.terms;
      const window = proofFrom(0, waits);
      server = await startProbeServer(address, {
        metrics,
        isTaking: () => isTaking,
        readiness: readinessOf(parts, { log, now: Date.now }),
        refresh: storeFigures(metrics, {
          standing: (now) => store.standing(now - window),
          clockOffsetMs: () => bank.clock.offset()?.ms,
          now: Date.now,
        }),
      });
    },
    drain() {
      isTaking = false;
    },
    close: async () => server?.close(),
  };
}

/** Undefined where nothing is traced: then nothing of it is loaded. A receiver that does not take spans is told of in the log. */
export async function openTracing(traces: TracesConfig | undefined, log: Log): Promise<Tracing | undefined> {
  if (traces === undefined) return undefined;
  const { startTracing } = await import('../telemetry/tracing.ts');
  return startTracing(traces, (error) => log.warn({ error }, 'spans were not accepted'));
}
