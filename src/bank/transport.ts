import type { Readable } from 'node:stream';
import { Agent, buildConnector, Client } from 'undici';
import { type HttpProxy, throughProxy } from './proxy.ts';

export interface TransportLimits {
  /** DNS, TCP and TLS together, milliseconds. */
  connectMs: number;
  bodyBytesMax: number;
}

interface Way {
  tls?: buildConnector.BuildOptions;
  /** Through which every connection goes; undefined: none. */
  proxy?: HttpProxy | undefined;
}

export type HttpMethod = 'GET' | 'POST' | 'PUT' | 'DELETE';

export interface HttpRequest {
  method: HttpMethod;
  /** Path and query, starting with `/`. */
  target: string;
  headers: Record<string, string>;
  body?: string | undefined;
  /** Runs once connected, before the first byte; a throw closes the connection unused. Not called for a GET. */
  beforeFirstByte?: (() => void) | undefined;
  /** Ends the exchange at any point, even while the body is read. */
  signal: AbortSignal;
}

export interface HttpAnswer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  /** `undefined` if the body is not UTF-8. */
  body: string | undefined;
  /** By its headers it was made before it was asked for (`bank-clock.ts`). */
  isStale?: boolean;
}

/** An exchange without a complete answer. Raw errors of the HTTP layer stay inside, as they may hold bytes of the answer. */
export class HttpFailure extends Error {
  override readonly name = 'HttpFailure';
  /** False only if provably no byte of the request left. */
  readonly sent: boolean;

  constructor(reason: string, sent: boolean, cause?: unknown) {
    super(reason, cause === undefined ? undefined : { cause });
    this.sent = sent;
  }
}

/** The answer has more bytes than are read. */
export class AnswerTooLarge extends HttpFailure {
  constructor(bytesMax: number) {
    super(`the answer is too large, above ${bytesMax} bytes`, true);
  }
}

export interface Transport {
  /** One request, one answer; no retries, no redirects. Throws `HttpFailure`. */
  exchange(request: HttpRequest): Promise<HttpAnswer>;
  close(): Promise<void>;
}

/** Failure to connect; marks that no byte of any request left. */
class NoConnection extends Error {}

/**
 * Reads share keep-alive connections. Every write gets its own: on a reused connection a reset cannot be distinguished from "closed while
 * idle", and undici would resend a queued request. The caller's signal limits the total time, so undici's own timers are off. A
 * proxy is one that is given: none from the environment, which only EnvHttpProxyAgent reads.
 */
export function createTransport(origin: string, limits: TransportLimits, { tls, proxy }: Way = {}): Transport {
  const direct = buildConnector({
    timeout: limits.connectMs,
    allowH2: false,
    rejectUnauthorized: true,
    minVersion: 'TLSv1.2',
    ...tls,
  });
  const connect = proxy === undefined ? direct : throughProxy(direct, proxy, limits.connectMs);
  const timing = { headersTimeout: 0, bodyTimeout: 0 };
  const agent = new Agent({ ...timing, connect: marked(connect), connections: 64, allowH2: false });

  async function read(request: HttpRequest): Promise<HttpAnswer> {
    try {
      const { method, target: path, headers, signal } = request;
      const response = await agent.request({ origin, method, path, headers, signal });
      return await wholeAnswer(response, limits.bodyBytesMax);
    } catch (error) {
      throw failure(error, !(error instanceof NoConnection), request.signal);
    }
  }

  async function write(request: HttpRequest): Promise<HttpAnswer> {
    let sent = false;
    const gate = () => {
      if (sent || request.signal.aborted) throw new NoConnection('a write has one connection');
      askSender(request.beforeFirstByte);
      sent = true;
    };
    const client = new Client(origin, { ...timing, connect: marked(connect, gate), pipelining: 0, allowH2: false });
    try {
      const { method, target: path, headers, body, signal } = request;
      const response = await client.request({ method, path, headers, signal, body: body ?? null });
      return await wholeAnswer(response, limits.bodyBytesMax);
    } catch (error) {
      throw failure(error, sent, request.signal);
    } finally {
      await client.destroy();
    }
  }

  return {
    exchange: (request) => (request.method === 'GET' ? read(request) : write(request)),
    close: () => agent.close(),
  };
}

function askSender(beforeFirstByte: (() => void) | undefined): void {
  try {
    beforeFirstByte?.();
  } catch (cause) {
    throw new NoConnection('stopped before the first byte', { cause });
  }
}

/** The connector with its failures marked, and `gate` called between connecting and the first byte. */
function marked(connect: buildConnector.connector, gate?: () => void): buildConnector.connector {
  return (options, callback) =>
    connect(options, (...[error, socket]) => {
      if (error !== null) return callback(new NoConnection(`no connection (${codeOf(error)})`), null);
      try {
        gate?.();
      } catch (stopped) {
        socket.destroy();
        return callback(stopped as Error, null);
      }
      callback(null, socket);
    });
}

async function wholeAnswer(
  response: { statusCode: number; headers: HttpAnswer['headers']; body: Readable },
  bytesMax: number,
): Promise<HttpAnswer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response.body as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > bytesMax) throw new AnswerTooLarge(bytesMax);
    chunks.push(chunk);
  }
  return { status: response.statusCode, headers: response.headers, body: utf8(Buffer.concat(chunks)) };
}

function utf8(bytes: Buffer): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

function failure(error: unknown, sent: boolean, signal: AbortSignal): HttpFailure {
  if (error instanceof HttpFailure) return error;
  if (error instanceof NoConnection && error.cause !== undefined)
    return new HttpFailure(error.message, sent, error.cause);
  if (signal.aborted)
    return new HttpFailure(isTimeout(signal.reason) ? 'time limit reached' : 'stopped by the caller', sent);
  if (error instanceof NoConnection) return new HttpFailure(error.message, sent);
  return new HttpFailure(`incomplete answer (${codeOf(error)})`, sent);
}

const isTimeout = (reason: unknown): boolean => reason instanceof DOMException && reason.name === 'TimeoutError';

function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name;
}
