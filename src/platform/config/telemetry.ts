import { key, type ValuesOf } from './key.ts';
import { flag, listenAddress, tracesUrl } from './values.ts';

export const TELEMETRY_KEYS = {
  PAYOUTS_METRICS_ADDRESS: key(
    listenAddress,
    null,
    'where a worker serves /healthz, /readyz and /metrics: PORT on this machine, or ADDRESS:PORT; absent: nowhere',
  ),
  PAYOUTS_GATEWAY_METRICS_ADDRESS: key(
    listenAddress,
    null,
    'the same for a gateway, which may run in one process with a worker; absent: nowhere',
  ),
  PAYOUTS_TEMPORAL_METRICS_ADDRESS: key(
    listenAddress,
    null,
    'where the Temporal SDK of a worker or gateway serves its own /metrics: PORT on this machine, or ADDRESS:PORT; absent: nowhere',
  ),
  PAYOUTS_TRACES_URL: key(
    tracesUrl,
    null,
    'where workers and gateways send traces by OTLP over HTTP, e.g. https://collector.example.com/v1/traces; absent: nowhere',
  ),
  PAYOUTS_TRACES_TO_BANK: key(flag, 'false', 'send the bank the trace of each traced call, in the header traceparent'),
} as const;

type TelemetryValues = ValuesOf<typeof TELEMETRY_KEYS>;

/** Where a process serves its metrics: to anybody who can reach it, without a token; they contain nothing of a payout. */
export const metricsOf = (values: TelemetryValues) => ({
  worker: values.PAYOUTS_METRICS_ADDRESS,
  gateway: values.PAYOUTS_GATEWAY_METRICS_ADDRESS,
  temporal: values.PAYOUTS_TEMPORAL_METRICS_ADDRESS,
});

/** A sentence for each that is served on every address of the machine. */
export const openAddresses = (values: TelemetryValues): string[] =>
  (['PAYOUTS_METRICS_ADDRESS', 'PAYOUTS_GATEWAY_METRICS_ADDRESS', 'PAYOUTS_TEMPORAL_METRICS_ADDRESS'] as const)
    .filter((name) => ['0.0.0.0', '::'].includes(values[name]?.host ?? ''))
    .map(
      (name) =>
        `${name} serves metrics to everybody who reaches this machine; name one address, or see to it that only Prometheus does.`,
    );

/** Where spans go; `toBank`: calls of the bank carry `traceparent`. */
export const tracesOf = ({ PAYOUTS_TRACES_URL: url, PAYOUTS_TRACES_TO_BANK: toBank }: TelemetryValues) =>
  url === undefined ? undefined : { url, toBank };
