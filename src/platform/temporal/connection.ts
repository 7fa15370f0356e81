import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { fileURLToPath } from 'node:url';
import {
  Client,
  type ClientOptions,
  Connection,
  isGrpcServiceError,
  ServiceError,
  type WorkflowClientInterceptor,
} from '@temporalio/client';
import { ApplicationFailure, type DataConverter } from '@temporalio/common';
import type { ClientConnectConfig } from '@temporalio/envconfig';
import type { ActivityInboundCallsInterceptor } from '@temporalio/worker';
import { UNDECODABLE, undecodableIn } from '../../domain/failures.ts';
import { CHECK_TEMPORAL, Problem } from '../../domain/problem.ts';
import { ownModule } from '../../store/own-files.ts';
import { EncryptionCodec, type OnRefused } from '../codec/encryption.ts';
import type { KeyRing } from '../codec/keys.ts';
import type { Config } from '../config.ts';

export const GRPC = {
  CANCELLED: 1,
  INVALID_ARGUMENT: 3,
  DEADLINE_EXCEEDED: 4,
  NOT_FOUND: 5,
  ALREADY_EXISTS: 6,
  PERMISSION_DENIED: 7,
  RESOURCE_EXHAUSTED: 8,
  FAILED_PRECONDITION: 9,
  ABORTED: 10,
  UNIMPLEMENTED: 12,
  UNAVAILABLE: 14,
} as const;

/** The status of an error that the service answered, bare or wrapped by the client; undefined for every other error. */
export function grpcStatusOf(error: unknown): number | undefined {
  const answer = error instanceof ServiceError ? error.cause : error;
  return isGrpcServiceError(answer) ? answer.code : undefined;
}

export async function takesConnections(host: string, port: number, limitMs = 2_000): Promise<boolean> {
  const socket = connect({ host, port });
  try {
    await once(socket, 'connect', { signal: AbortSignal.timeout(limitMs) });
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

/** Also bundled with the workflows if payloads are encrypted. */
export const FAILURE_CONVERTER = fileURLToPath(ownModule('workflows/failure-converter'));

/** Data converter of clients and workers; undefined: payloads are not encrypted. */
export function sealedPayloads(ring: KeyRing | undefined, onRefused?: OnRefused): DataConverter | undefined {
  if (ring === undefined) return undefined;
  return { payloadCodecs: [new EncryptionCodec(ring, onRefused)], failureConverterPath: FAILURE_CONVERTER };
}

/** Fails an activity that somebody else scheduled, with a payload in clear or of another workflow. */
export const refuseUndecodable: ActivityInboundCallsInterceptor = {
  async execute(input, next) {
    const why = undecodableIn(input.args);
    if (why !== undefined) throw ApplicationFailure.nonRetryable(`the input ${why}`, UNDECODABLE);
    return await next(input);
  },
};

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

/** The default of two minutes would be without Temporal for as long after it is back. */
export const RECONNECT = { 'grpc.max_reconnect_backoff_ms': 5_000 } as const;

/** A client that starts and reaches workflows, with the workers' codec keys. */
export async function connectTemporal(
  config: Pick<Config, 'temporal' | 'codecKeys'>,
  at: TemporalAddress,
): Promise<TemporalConnection> {
  const options = { channelArgs: RECONNECT, ...connectOptions(config, at) };
  const connection = await Connection.connect(options).catch((error: unknown) => {
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

const PATIENCE_MS = 5_000;

/**
 * Throws a `TemporalUnreachableError` if the service of a connected client does not answer in time. Asks what the service has to
 * read from its database: others it answers without one.
 */
export async function assertReachable(client: Client, { temporalAddress }: TemporalAddress): Promise<void> {
  try {
    const { namespace } = client.options;
    await client.withDeadline(Date.now() + PATIENCE_MS, () => client.workflowService.describeNamespace({ namespace }));
  } catch (error) {
    throw new TemporalUnreachableError(temporalAddress, error);
  }
}

const TRIES_MAX = 3;

/**
 * A workflow task can fail through no fault of an update in it. The server then drops the update and reports that. Repeats it
 * under the same update id, so that one that was accepted after all counts once.
 */
export const repeatDroppedUpdates: WorkflowClientInterceptor = {
  async startUpdate(input, next) {
    const asked = { ...input, options: { ...input.options, updateId: input.options.updateId ?? randomUUID() } };
    for (let tries = 1; ; tries += 1) {
      try {
        return await next(asked);
      } catch (error) {
        if (tries === TRIES_MAX || !wasDropped(error)) throw error;
      }
    }
  },
};

/**
 * There is no code of its own for this: "no worker has asked for work lately" has the same one. Over a worker's connection the
 * server's text is only in the message.
 */
const wasDropped = (error: unknown): boolean =>
  grpcStatusOf(error) === GRPC.FAILED_PRECONDITION && String((error as Error).cause).includes('workflow task failure');
