import { Client, type ClientOptions, Connection } from '@temporalio/client';
import type { ClientConnectConfig } from '@temporalio/envconfig';
import type { Config } from '../config.ts';
import { CHECK_TEMPORAL, Problem } from '../domain/problem.ts';
import { repeatDroppedUpdates } from './dropped-updates.ts';
import { sealedPayloads } from './sealed-payloads.ts';

/** Address of a Temporal service: the embedded server, or the cluster named by the environment. */
export interface TemporalAddress {
  /** `host:port` */
  temporalAddress: string;
  namespace: string;
}

interface TemporalConnection {
  connection: Connection;
  client: Client;
  close(): Promise<void>;
}

/** No Temporal service answers at the address (exit code 7). */
export class TemporalUnreachableError extends Problem {
  constructor(address: string, cause: unknown) {
    const message = `No Temporal service answers at ${address}.`;
    super('unreachable', 'temporal-unreachable', message, { hint: CHECK_TEMPORAL, cause });
  }
}

/** A client that starts and reaches workflows, with the workers' codec keys. */
export async function connectTemporal(
  config: Pick<Config, 'temporal' | 'codecKeys'>,
  at: TemporalAddress,
): Promise<TemporalConnection> {
  const connection = await Connection.connect(connectOptions(config, at)).catch((error: unknown) => {
    throw new TemporalUnreachableError(at.temporalAddress, error);
  });
  return { connection, client: clientOver(config, at, connection), close: () => connection.close() };
}

/** The same client over an existing connection, such as a worker's. */
export function clientOver(
  config: Pick<Config, 'codecKeys'>,
  { namespace }: Pick<TemporalAddress, 'namespace'>,
  connection: ClientOptions['connection'],
): Client {
  const dataConverter = sealedPayloads(config.codecKeys());
  return new Client({ connection, namespace, dataConverter, interceptors: { workflow: [repeatDroppedUpdates] } });
}

/** Options from @temporalio/envconfig for a cluster (TLS, API key); the plain address for the embedded server. */
export function connectOptions(
  { temporal }: Pick<Config, 'temporal'>,
  { temporalAddress }: TemporalAddress,
): ClientConnectConfig['connectionOptions'] {
  return temporal.kind === 'cluster' ? temporal.connect.reveal() : { address: temporalAddress };
}
