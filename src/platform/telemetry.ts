import type { Bank } from '../bank/bank.ts';
import { proofFrom } from '../domain/absence.ts';
import type { Log } from '../domain/settings.ts';
import { ownVersion } from '../store/own-files.ts';
import type { Store } from '../store/store.ts';
import type { Config } from './config.ts';
import { noticesOf } from './open-bank.ts';
import type { ListenAddress } from './telemetry/listen-address.ts';
import { createMetrics, storeFigures } from './telemetry/metrics.ts';
import { type ReadinessProbes, readinessOf, startProbeServer } from './telemetry/readiness.ts';
import type { Tracing } from './telemetry/tracing.ts';

export type Telemetry = ReturnType<typeof telemetryAt>;

/** What figures and warnings are read from. */
interface Asked {
  store: Store;
  bank: Bank;
}

/** @param address undefined: metrics are counted but not served */
export function telemetryAt(address: ListenAddress | undefined, { config, log }: { config: Config; log: Log }) {
  const metrics = createMetrics({ ofProcess: address !== undefined });
  let isTaking = true;
  let server: { close(): Promise<void> } | undefined;
  return {
    metrics,
    /** From now on answers probes, if an address is configured. */
    async serve(parts: ReadinessProbes<string>, { store, bank }: Asked): Promise<void> {
      if (address === undefined) return;
      const { waits } = config.settings.terms;
      const window = proofFrom(0, waits);
      server = await startProbeServer(address, {
        metrics,
        isTaking: () => isTaking,
        readiness: readinessOf(parts, { log, now: Date.now }),
        notices: noticesOf({ bank, store, config, now: Date.now }),
        refresh: storeFigures(metrics, {
          openWork: (now) => store.openWork(now - window),
          clockOffsetMs: () => bank.clock.offset(),
          now: Date.now,
        }),
      });
    },
    /** The process has been asked to end: from now on it is reported as not ready. */
    drain(): void {
      isTaking = false;
    },
    close: async () => server?.close(),
  };
}

/**
 * Undefined if no traces are configured; then none of it is loaded. If the receiver does not accept spans, that is logged.
 *
 * @param bankUrl whose calls are traced
 */
export async function openTracing(
  { traces, bank }: Config,
  { bankUrl, store, log }: { bankUrl: string; store: Store; log: Log },
): Promise<Tracing | undefined> {
  if (traces === undefined) return undefined;
  const { startTracing } = await import('./telemetry/tracing.ts');
  return startTracing({
    ...traces,
    bankUrl,
    version: ownVersion(),
    deployment: bank.kind === 'sandbox' ? bank.kind : undefined,
    broughtBy: (workflowId) => store.traceOfBatch(workflowId),
    onRefused: (error) => log.warn({ error }, 'spans were not accepted'),
  });
}
