import { key, type ValuesOf } from './key.ts';
import { listenAddress } from './values.ts';

export const METRICS_KEYS = {
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
} as const;

/** Where a process serves its metrics: to anybody who can reach it, without a token; they contain nothing of a payout. */
export const metricsOf = (values: ValuesOf<typeof METRICS_KEYS>) => ({
  worker: values.PAYOUTS_METRICS_ADDRESS,
  gateway: values.PAYOUTS_GATEWAY_METRICS_ADDRESS,
  temporal: values.PAYOUTS_TEMPORAL_METRICS_ADDRESS,
});
