import { Problem } from '../../domain/problem.ts';

/** Where to listen; port 0: any free one. */
export interface ListenAddress {
  /** An IP address. */
  host: string;
  port: number;
}

export const addressText = ({ host, port }: ListenAddress): string =>
  `${host.includes(':') ? `[${host}]` : host}:${port}`;

/** The port is taken, or the address is not one of this machine. */
export const addressRefused = (address: ListenAddress, cause: unknown): Problem =>
  new Problem('set-up', 'metrics-address', `Metrics cannot be served at ${addressText(address)}.`, {
    hint: 'Free the port, or set another PAYOUTS_METRICS_ADDRESS, PAYOUTS_GATEWAY_METRICS_ADDRESS or PAYOUTS_TEMPORAL_METRICS_ADDRESS.',
    cause,
  });
