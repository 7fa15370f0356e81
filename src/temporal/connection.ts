import { Client, Connection, type DataConverter } from '@temporalio/client';
import type { ClientConnectConfig } from '@temporalio/envconfig';
import { Secret } from '../config/secret.ts';
import type { Config } from '../config.ts';

/** A Temporal service and the namespace to use; `connect` may hold credentials. */
export interface TemporalTarget {
  address: string;
  namespace: string;
  connect: Secret<ClientConnectConfig['connectionOptions']>;
}

export interface TemporalClient {
  connection: Connection;
  client: Client;
  close(): Promise<void>;
}

/** No Temporal service answers at the address (exit code 7). */
export class TemporalUnreachableError extends Error {
  override readonly name = 'TemporalUnreachableError';
  readonly address: string;

  constructor(address: string, cause: unknown) {
    super(`no Temporal service answers at ${address}`, { cause });
    this.address = address;
  }
}

/** The target the environment names (@temporalio/envconfig); undefined for the embedded server. */
export function clusterTarget({ temporal }: Config): TemporalTarget | undefined {
  return temporal.kind === 'cluster' ? temporal : undefined;
}

/** A server on this machine, without credentials. */
export function localTarget(address: string, namespace: string): TemporalTarget {
  return { address, namespace, connect: new Secret({ address }) };
}

/** `dataConverter` is where payload encryption goes; workers and clients of one namespace need the same. */
export async function connectTemporal(target: TemporalTarget, dataConverter?: DataConverter): Promise<TemporalClient> {
  const connection = await Connection.connect(target.connect.reveal()).catch((error: unknown) => {
    throw new TemporalUnreachableError(target.address, error);
  });
  const client = new Client({ connection, namespace: target.namespace, dataConverter });
  return { connection, client, close: () => connection.close() };
}
