import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { connect as connectHttp2 } from 'node:http2';
import { connect, isIP, isIPv6 } from 'node:net';
import { connect as connectTls, getCACertificates } from 'node:tls';
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
import { causeInWords, causeOf } from '../../domain/causes.ts';
import { hasCode, UNDECODABLE, undecodableIn } from '../../domain/failures.ts';
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

/** No Temporal service answers at the address (exit code 7), or it refuses us (2). Says why, where that is known. */
export class TemporalUnreachableError extends Problem {
  constructor(address: string, cause: unknown) {
    const { place, note } = placeOf(address);
    const reported = causeInWords(cause, 'temporal', place);
    const message = reported?.message ?? `No Temporal service answers at ${place}.`;
    const hint = `${reported?.hint ?? CHECK_TEMPORAL}${note}`;
    if (causeOf(cause, 'temporal')?.isSetUp) super('set-up', 'temporal-refused', message, { hint, cause });
    else super('unreachable', 'temporal-unreachable', message, { hint, cause });
  }
}

/** The SDK's, for an address without one. */
const PORT = 7233;

function placeOf(address: string): { place: string; note: string } {
  if (/:[^:\]]*$/.test(address) && !isIPv6(address)) return { place: address, note: '' };
  const place = `${isIPv6(address) ? `[${address}]` : address}:${PORT}`;
  return { place, note: ` TEMPORAL_ADDRESS names no port, so ${PORT} is used.` };
}

/**
 * The default of two minutes would be without Temporal for as long after it is back. The proxy of the environment is not used, as
 * workers do not use it.
 */
export const RECONNECT = { 'grpc.max_reconnect_backoff_ms': 5_000, 'grpc.enable_http_proxy': 0 } as const;

/** A client that starts and reaches workflows, with the workers' codec keys. */
export async function connectTemporal(config: Config, at: TemporalAddress): Promise<TemporalConnection> {
  const options = { channelArgs: RECONNECT, ...connectOptions(config, at) };
  const connection = await Connection.connect(options).catch((error: unknown) => notConnected(options, error));
  return { connection, client: clientOver(config, at, connection), close: () => connection.close() };
}

/** The same client over an existing connection, such as a worker's. */
export function clientOver(
  config: Config,
  { namespace }: Pick<TemporalAddress, 'namespace'>,
  connection: ClientOptions['connection'],
): Client {
  const dataConverter = sealedPayloads(config.codecKeys());
  return new Client({ connection, namespace, dataConverter, interceptors: { workflow: [repeatDroppedUpdates] } });
}

type ConnectOptions = ClientConnectConfig['connectionOptions'];

/** Options from @temporalio/envconfig for a cluster (TLS, API key); the plain address for the embedded server. */
export function connectOptions({ temporal }: Config, { temporalAddress }: TemporalAddress): ConnectOptions {
  if (temporal.kind !== 'cluster') return { address: temporalAddress };
  const options = temporal.connect.reveal();
  if (!options.tls) return options;
  const tls = options.tls === true ? {} : options.tls;
  return { ...options, tls: { ...tls, serverRootCACertificate: tls.serverRootCACertificate ?? trusted() } };
}

/** The CA certificates that Node and this machine trust: the native core by itself has none where the machine has none. */
const trusted = (): Buffer =>
  Buffer.from([...new Set([...getCACertificates('default'), ...getCACertificates('system')])].join('\n'));

/** Throws a `TemporalUnreachableError` with what the sockets below gRPC report, else with the error of the client. */
export async function notConnected(options: ConnectOptions, error: unknown): Promise<never> {
  const { address = '' } = options;
  const reported = causeOf(error, 'temporal')?.isSetUp === true;
  throw new TemporalUnreachableError(
    address,
    (reported ? undefined : await socketError(address, options.tls)) ?? error,
  );
}

const POLL_MS = 3_000;

/** What a connection of our own to the address meets; undefined for nothing. gRPC's client reports each only "not in time". */
async function socketError(address: string, tls: ConnectOptions['tls']): Promise<unknown> {
  const at = URL.parse(`${tls ? 'https' : 'http'}://${placeOf(address).place}`);
  if (at === null) return undefined;
  const {
    serverRootCACertificate: ca,
    serverNameOverride: servername,
    clientCertPair,
  } = typeof tls === 'object' && tls !== null ? tls : {};
  const own = clientCertPair && { cert: Buffer.from(clientCertPair.crt), key: Buffer.from(clientCertPair.key) };
  try {
    const session = connectHttp2(at.origin, {
      ...(ca && { ca: Buffer.from(ca) }),
      // An address is no name to ask for.
      servername: servername ?? (isIP(at.hostname.replace(/^\[|\]$/g, '')) === 0 ? at.hostname : ''),
      ...own,
    });
    try {
      // A certificate that the server misses is shown only to those who ask for something.
      const refused = Promise.withResolvers<never>();
      session.request({ ':path': '/' }).on('error', (error) => {
        if (!hasCode(error, 'ERR_HTTP2_STREAM_CANCEL')) refused.reject(error);
      });
      await Promise.race([settled(session, 'remoteSettings'), refused.promise]);
      return undefined;
    } finally {
      session.destroy();
    }
  } catch (error) {
    return !tls && (await speaksTls(at))
      ? Object.assign(new Error('TLS', { cause: error }), { code: 'WANTS_TLS' })
      : error;
  }
}

async function speaksTls({ hostname, port }: URL): Promise<boolean> {
  // Nothing is sent over it, and nothing read: who answers does not matter.
  const socket = connectTls({ host: hostname.replace(/^\[|\]$/g, ''), port: Number(port), rejectUnauthorized: false });
  return settled(socket, 'secureConnect')
    .then(
      () => true,
      () => false,
    )
    .finally(() => socket.destroy());
}

/** Rejects with its error, or with what it ended by: its close or our time limit. */
async function settled(emitter: NodeJS.EventEmitter, event: string): Promise<void> {
  const limit = AbortSignal.timeout(POLL_MS);
  emitter.on('error', () => undefined);
  const closed = once(emitter, 'close', { signal: limit }).then(() => {
    throw Object.assign(new Error('closed'), { code: 'ECONNRESET' });
  });
  await Promise.race([once(emitter, event, { signal: limit }), closed]).catch((error: Error) => {
    throw error.name === 'AbortError' ? limit.reason : error;
  });
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
