import { type ChildProcess, spawn } from 'node:child_process';
import { hash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createServer, get, type IncomingMessage, type ServerResponse } from 'node:http';
import { dirname, join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { Connection } from '@temporalio/client';
import root from '@temporalio/proto/protos/root.js';
import { marked } from 'marked';
import { fromProto3JSON, toProto3JSON } from 'proto3-json-serializer';
import { Enum, type Message, type Method, type Root, Type } from 'protobufjs';
import { z } from 'zod';
import { leadsHere } from '../../domain/loopback.ts';
import { Problem } from '../../domain/problem.ts';
import {
  answerCodec,
  CODEC_BYTES_MAX,
  type CodecOperation,
  type CodecSpace,
  codecContext,
} from '../codec/codec-server.ts';
import { GRPC, grpcStatusOf, RECONNECT } from '../temporal/connection.ts';
import { freePort } from './ports.ts';

/** Path of the codec server under the Web UI's address, for its pages and the `temporal` command. */
const CODEC_PATH = '/codec';

/** A page of UI 2.54 adds a query, of which nothing is used. */
const OPERATION = /^\/codec\/(?:([^/?]+)\/)?(encode|decode)(?:\?|$)/;

/** Undefined for every other request. */
const codecOperation = ({ method, url = '' }: IncomingMessage): CodecOperation | undefined =>
  method === 'POST' ? (OPERATION.exec(url)?.[2] as CodecOperation | undefined) : undefined;

async function answerCodecRequest(
  incoming: IncomingMessage,
  operation: CodecOperation,
  space: CodecSpace,
): Promise<{ status: number; document: object }> {
  try {
    const body: unknown = JSON.parse((await bytesOf(incoming)).toString('utf8'));
    const inPath = OPERATION.exec(incoming.url ?? '')?.[1];
    const context = codecContext(incoming.headers, inPath && decodeURIComponent(inPath), workflowOfPage(incoming));
    return { status: 200, document: answerCodec(space, operation, context, body) };
  } catch (error) {
    if (error instanceof Problem) return { status: 400, document: { message: `${error.message} ${error.hint}` } };
    return { status: 400, document: { message: 'The body is not JSON with payloads, or is too large.' } };
  }
}

const WORKFLOW_PAGE = /^https?:\/\/[^/]+\/namespaces\/[^/]+\/workflows\/([^/?#]+)\//;

/**
 * A form of the Web UI does not name the workflow that it writes to; its page, which has the same origin, does in the Referer.
 */
function workflowOfPage({ headers: { referer = '' } }: IncomingMessage): string | undefined {
  const id = WORKFLOW_PAGE.exec(referer)?.[1];
  return id && decodeURIComponent(id);
}

/** The body of a request. Throws a RangeError if it is larger than 8 MiB. */
async function bytesOf(incoming: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > CODEC_BYTES_MAX) throw new RangeError('too large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

const HOST = '127.0.0.1';
const START_LIMIT_MS = 60_000;
const IDLE_MS = 3_000;

interface UiFile {
  /** Its content type. */
  type: string;
  /** Its content security policy, if it has one of its own. */
  csp?: string | undefined;
  body: Buffer;
}

const keptHeader = z.object({ type: z.string(), csp: z.string().optional() });

interface UiFilesOptions {
  cliPath: string;
  /** Where files are kept, for one version of the Web UI. */
  folder: string;
}

/**
 * The files of the Temporal Web UI, which only the CLI has and only its UI server gives out. That server answers any Host and
 * Origin, so that a web page open on this machine could use the API behind it. None runs beside the embedded server: one is
 * started with an empty server of its own when a file is asked for the first time, and ended when no more are asked for.
 */
export class UiFiles {
  readonly #options: UiFilesOptions;
  #source: Promise<Source> | undefined;
  #idle: NodeJS.Timeout | undefined;
  #asked = 0;

  constructor(options: UiFilesOptions) {
    this.#options = options;
  }

  /** The file at a path of the Web UI; undefined if it has none. */
  async read(path: string): Promise<UiFile | undefined> {
    const kept = join(this.#options.folder, hash('sha256', path));
    return fileAt(kept) ?? this.#fetch(path, kept);
  }

  async close(): Promise<void> {
    clearTimeout(this.#idle);
    const source = this.#source;
    this.#source = undefined;
    await source?.then(({ end }) => end()).catch(() => undefined);
  }

  async #fetch(path: string, kept: string): Promise<UiFile | undefined> {
    clearTimeout(this.#idle);
    this.#asked += 1;
    try {
      this.#source ??= startSource(this.#options.cliPath);
      const { port } = await this.#source;
      const answer = await fetchFrom(port, path);
      const { 'content-type': type = '', 'content-security-policy': csp } = answer.headers;
      const file = { type, csp: csp?.toString(), body: await buffer(answer) };
      // For any path that is no file the UI server answers its page.
      if (answer.statusCode !== 200 || (path !== '/' && type.startsWith('text/html'))) return undefined;
      keep(kept, file);
      return file;
    } catch (error) {
      await this.close();
      throw error;
    } finally {
      this.#asked -= 1;
      if (this.#asked === 0) this.#idle = setTimeout(() => void this.close(), IDLE_MS).unref();
    }
  }
}

/** A file is kept as one line with its headers, then its bytes. */
function fileAt(kept: string): UiFile | undefined {
  try {
    const bytes = readFileSync(kept);
    const end = bytes.indexOf('\n');
    return { ...keptHeader.parse(JSON.parse(bytes.toString('utf8', 0, end))), body: bytes.subarray(end + 1) };
  } catch {
    return undefined;
  }
}

function keep(kept: string, { body, ...header }: UiFile): void {
  const fresh = `${kept}.${randomUUID()}`;
  try {
    mkdirSync(dirname(kept), { recursive: true, mode: 0o700 });
    writeFileSync(fresh, Buffer.concat([Buffer.from(`${JSON.stringify(header)}\n`), body]), { mode: 0o600 });
    renameSync(fresh, kept);
  } catch {
    // A cache that cannot be written costs time only: the file is read from the CLI again.
  }
}

async function fetchFrom(port: number, path: string): Promise<IncomingMessage> {
  const [answer] = await once(get({ host: HOST, port, path, agent: false }), 'response');
  return answer as IncomingMessage;
}

interface Source {
  port: number;
  end(): Promise<void>;
}

/** A dev server with no file and nothing in it, for the sake of its UI server. */
async function startSource(cliPath: string): Promise<Source> {
  const port = await freePort([]);
  const own = await freePort([port]);
  const child = spawnBesideUs(cliPath, [
    ...['server', 'start-dev', '--ip', HOST, '--port', `${own}`, '--ui-port', `${port}`, '--log-level', 'never'],
  ]);
  const end = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.stdin?.end();
    await once(child, 'exit');
  };
  for (const deadline = performance.now() + START_LIMIT_MS; performance.now() < deadline; await pause(20)) {
    if (child.exitCode !== null) break;
    const answer = await fetchFrom(port, '/').catch(() => undefined);
    answer?.resume();
    if (answer !== undefined) return { port, end };
  }
  await end();
  throw new Error('the UI server of the Temporal CLI did not start');
}

/**
 * Through a shell that ends it as soon as our end of its input is closed, so that a SIGKILL of us leaves nothing behind, and that
 * ends with it.
 */
function spawnBesideUs(command: string, args: readonly string[]): ChildProcess {
  const script = 'exec 3<&0; "$@" & server=$!; { read -r _ <&3; kill -9 $server; } & wait $server; kill $!';
  return spawn('/bin/sh', ['-c', script, 'sh', command, ...args], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
    // It asks for the name and home of its user, who may be a number without them.
    env: { USER: 'payouts', HOME: '/' },
  });
}

/** What the Web UI is answered: `json` is a protobuf message as JSON, or `{code, message}` with the gRPC status. */
interface ApiAnswer {
  status: number;
  json: unknown;
}

export interface ApiRequest {
  method: string;
  /** Path and query, beginning with `/api/v1/`. */
  target: string;
  /** JSON; empty for a GET. */
  body: string;
  /** Ends the call when the browser has gone. */
  signal: AbortSignal;
}

const SERVICES = {
  workflowService: 'temporal.api.workflowservice.v1.WorkflowService',
  operatorService: 'temporal.api.operatorservice.v1.OperatorService',
} as const;

interface Route {
  service: keyof typeof SERVICES;
  /** Name of the method in the client of the service. */
  call: string;
  verb: string;
  /** Literals of the path, and fields of the request as `{execution.workflow_id}`. */
  segments: readonly string[];
  request: Type;
}

type Json = Record<string, unknown>;

/**
 * The HTTP API of Temporal's services as its Web UI calls it: each call becomes the gRPC call that the definition of the service
 * gives for its path (google.api.http). The frontend has such an API too, but it cannot address a workflow whose id has a slash.
 */
export class TemporalHttpApi {
  readonly #connection: Connection;
  #routes: readonly Route[] | undefined;

  constructor(address: string) {
    this.#connection = Connection.lazy({ address, channelArgs: RECONNECT });
  }

  /** Never rejects: what goes wrong is an answer. */
  async answer({ method, target, body, signal }: ApiRequest): Promise<ApiAnswer> {
    const { pathname, searchParams } = new URL(target, 'http://ui');
    try {
      this.#routes ??= routesOf(root as unknown as Root);
      const found = match(this.#routes, method, pathname);
      if (found === undefined) return failed(404, GRPC.NOT_FOUND, `There is no ${method} ${pathname} in this API.`);
      const json = objectOf(body);
      for (const [name, value] of [...searchParams, ...found.variables]) put(json, found.route.request, name, value);
      const request = fromProto3JSON(found.route.request, json as Parameters<typeof fromProto3JSON>[1]);
      return { status: 200, json: await this.#call(found.route, request, signal) };
    } catch (error) {
      return answerOf(error);
    }
  }

  async #call({ service, call }: Route, request: unknown, signal: AbortSignal): Promise<unknown> {
    const client = this.#connection[service] as unknown as Record<string, (request: unknown) => Promise<Message>>;
    const answer = await this.#connection.withAbortSignal(signal, async () => client[call]?.(request));
    return answer && toProto3JSON(withTextInMaps(answer));
  }

  close(): Promise<void> {
    return this.#connection.close();
  }
}

const VERBS = ['get', 'post', 'put', 'patch', 'delete'] as const;

/** Bytes in maps and lists, such as the metadata of payloads, as base64, which the serializer does only for fields. */
function withTextInMaps<T extends object>(value: T): T {
  const entries = value as Record<string, unknown>;
  for (const [key, item] of Object.entries(entries)) {
    if (!(item instanceof Uint8Array)) {
      if (typeof item === 'object' && item !== null) withTextInMaps(item);
    } else if (!('$type' in value)) entries[key] = Buffer.from(item).toString('base64');
  }
  return value;
}

function routesOf(definitions: Root): Route[] {
  return Object.entries(SERVICES).flatMap(([service, name]) =>
    definitions.lookupService(name).methodsArray.flatMap((method) => {
      method.resolve();
      const request = method.resolvedRequestType;
      const call = method.name.charAt(0).toLowerCase() + method.name.slice(1);
      if (request === null) return [];
      return pathsOf(method).map(([verb, path]) => {
        return { service: service as keyof typeof SERVICES, call, verb, segments: path.split('/'), request };
      });
    }),
  );
}

function pathsOf({ parsedOptions }: Method): (readonly [verb: string, path: string])[] {
  const options = (parsedOptions ?? []) as Json[];
  return options.flatMap((option) => pathsOfRule(option['(google.api.http)']));
}

/** A rule of google.api.http, or several: `{get: PATH, additional_bindings: ...}`. */
function pathsOfRule(rule: unknown): (readonly [verb: string, path: string])[] {
  if (Array.isArray(rule)) return rule.flatMap(pathsOfRule);
  if (rule === undefined) return [];
  const { additional_bindings: further, ...own } = rule as Record<string, unknown>;
  const paths = VERBS.flatMap((verb) => (verb in own ? [[verb.toUpperCase(), `${own[verb]}`] as const] : []));
  return [...paths, ...pathsOfRule(further)];
}

interface Match {
  route: Route;
  variables: (readonly [field: string, value: string])[];
}

/** The route with the most literals, where a variable would take any text. Throws a URIError for a malformed path. */
function match(routes: readonly Route[], method: string, path: string): Match | undefined {
  const given = path.split('/').map(decodeURIComponent);
  const [best] = routes
    .filter(({ verb, segments }) => verb === method && segments.length === given.length)
    .filter(({ segments }) => segments.every((segment, at) => isVariable(segment) || segment === given[at]))
    .sort((a, b) => a.segments.filter(isVariable).length - b.segments.filter(isVariable).length);
  if (best === undefined) return undefined;
  const variables = best.segments.flatMap((segment, at) =>
    isVariable(segment) ? [[segment.slice(1, -1), given[at] ?? ''] as const] : [],
  );
  return { route: best, variables };
}

const isVariable = (segment: string): boolean => segment.startsWith('{');

function objectOf(body: string): Json {
  const json: unknown = body === '' ? {} : JSON.parse(body);
  if (typeof json !== 'object' || json === null || Array.isArray(json))
    throw new TypeError('The body is no JSON object.');
  return json as Json;
}

/** Sets a field, given as `execution.workflow_id` or `execution.workflowId`; one that the message does not have is ignored. */
function put(message: Json, type: Type, path: string, text: string): void {
  const [name = '', ...inner] = path.split('.');
  const key = name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
  const field = Object.hasOwn(type.fields, key) ? type.fields[key]?.resolve() : undefined;
  if (field === undefined) return;
  if (inner.length > 0) {
    if (field.resolvedType instanceof Type) {
      message[key] ??= {};
      put(message[key] as Json, field.resolvedType, inner.join('.'), text);
    }
    return;
  }
  const value = field.type === 'bool' ? text === 'true' : asEnum(field.resolvedType, text);
  message[key] = field.repeated ? [...((message[key] as unknown[]) ?? []), value] : value;
}

const asEnum = (type: unknown, text: string): string | number =>
  type instanceof Enum && /^\d+$/.test(text) ? Number(text) : text;

/** HTTP status of a gRPC status, as gRPC gateways translate it. */
const HTTP_STATUS: Readonly<Record<number, number>> = {
  [GRPC.CANCELLED]: 499,
  [GRPC.INVALID_ARGUMENT]: 400,
  [GRPC.DEADLINE_EXCEEDED]: 504,
  [GRPC.NOT_FOUND]: 404,
  [GRPC.ALREADY_EXISTS]: 409,
  [GRPC.PERMISSION_DENIED]: 403,
  [GRPC.RESOURCE_EXHAUSTED]: 429,
  [GRPC.FAILED_PRECONDITION]: 400,
  [GRPC.ABORTED]: 409,
  [GRPC.UNIMPLEMENTED]: 501,
  [GRPC.UNAVAILABLE]: 503,
};

function answerOf(error: unknown): ApiAnswer {
  const code = grpcStatusOf(error);
  // Every error before the call is about the request: a path, a body or a value that cannot be read.
  if (code === undefined)
    return failed(400, GRPC.INVALID_ARGUMENT, error instanceof Error ? error.message : 'unreadable');
  const { details } = error as { details?: string };
  return failed(HTTP_STATUS[code] ?? 500, code, details ?? 'The embedded Temporal server does not answer.');
}

const failed = (status: number, code: number, message: string): ApiAnswer => ({ status, json: { code, message } });

const SETTINGS = '/api/v1/settings';

export interface WebUi {
  url: string;
  close(): Promise<void>;
}

interface WebUiOptions {
  port: number;
  api: Pick<TemporalHttpApi, 'answer' | 'close'>;
  files: Pick<UiFiles, 'read' | 'close'>;
  /** undefined: payloads are shown as they are stored, since this port checks no tokens. */
  codec: CodecSpace | undefined;
}

/**
 * Serves the Temporal Web UI of the embedded server. Answers a request only if its Host is this machine and its Origin, required
 * for a write, is the same: pages of other sites, and other names that resolve to this machine, get 403. Throws the server's own
 * error if the port is taken.
 */
export async function startWebUi({ port, ...sources }: WebUiOptions): Promise<WebUi> {
  const { api, files } = sources;
  const server = createServer((incoming, answer) => {
    if (!isOwnPage(incoming)) return refuse(answer, 403, 'Only requests from pages of this address are accepted.');
    serve(incoming, answer, sources).catch((error: unknown) => {
      if (answer.headersSent) answer.destroy();
      else if (error instanceof RangeError) refuse(answer, 413, 'The body is larger than 8 MiB.');
      else refuse(answer, 502, 'The files of the Temporal Web UI cannot be read from the Temporal CLI.');
    });
  });
  server.listen(port, HOST);
  await once(server, 'listening');
  return {
    url: `http://${HOST}:${port}`,
    close: async () => {
      server.close();
      server.closeAllConnections();
      await Promise.all([api.close(), files.close()]);
    },
  };
}

/** The port may differ, as through a tunnel to here. No page of another site has a name of this machine in either header. */
function isOwnPage(incoming: IncomingMessage): boolean {
  const { method = '', headers } = incoming;
  const { host = '', origin } = headers;
  if (!leadsHere(host)) return false;
  if (origin !== undefined) return origin === `http://${host}`;
  return isRead(method) || isCommand(incoming);
}

/**
 * The `temporal` command sends no Origin. A page cannot omit it, nor send this content type to another origin without a
 * preflight.
 */
const isCommand = (incoming: IncomingMessage): boolean =>
  codecOperation(incoming) !== undefined && JSON_TYPE.test(incoming.headers['content-type'] ?? '');

const JSON_TYPE = /^application\/json *(?:;|$)/i;

const isRead = (method: string): boolean => method === 'GET' || method === 'HEAD';

type Sources = Omit<WebUiOptions, 'port'>;

async function serve(incoming: IncomingMessage, answer: ServerResponse, sources: Sources): Promise<void> {
  const { url = '', method = '', headers } = incoming;
  const { api, files, codec } = sources;
  const operation = codecOperation(incoming);
  if (operation !== undefined) {
    if (codec === undefined)
      return refuse(answer, 403, 'Here payloads are decoded only by /codec of the gateway, with a token.');
    const { status, document } = await answerCodecRequest(incoming, operation, codec);
    return sendJson(answer, status, document);
  }
  // In absolute form the target names a host of its own.
  if (!url.startsWith('/')) return refuse(answer, 400, 'This is not a valid path.');
  const [path = ''] = url.split('?');
  if (path === SETTINGS) return sendJson(answer, 200, await settings(files, codec && headers.host));
  if (path.startsWith('/api/')) {
    const { status, json } = await api.answer({
      method,
      target: url,
      body: (await bytesOf(incoming)).toString('utf8'),
      signal: endOf(answer),
    });
    return sendJson(answer, status, json);
  }
  if (!isRead(method)) return refuse(answer, 405, 'Only GET and HEAD are allowed here.');
  if (path === '/render') return sendMarkdown(answer, new URL(url, 'http://ui').searchParams);
  const file = await files.read(isPage(path, headers.accept) ? '/' : path);
  if (file === undefined) return refuse(answer, 404, 'The Temporal Web UI has no such file.');
  if (path.startsWith('/_app/immutable/')) answer.setHeader('cache-control', 'max-age=31536000, immutable');
  if (file.csp !== undefined) answer.setHeader('content-security-policy', file.csp);
  send(answer, file.type, file.body);
}

/** All pages are one file, whose script reads the address; every other file has an extension. */
const isPage = (path: string, accept = ''): boolean => accept.includes('text/html') || !/\.[^/]*$/.test(path);

/** For a long poll: the call ends when the page goes. */
function endOf(answer: ServerResponse): AbortSignal {
  const controller = new AbortController();
  answer.once('close', () => controller.abort());
  return controller.signal;
}

/**
 * The UI server's own settings, whose version decides how the page encodes ids in paths, plus the address of our codec server, if
 * any, as the page sees it.
 */
async function settings(files: Sources['files'], codecHost: string | undefined): Promise<object> {
  const own = JSON.parse((await files.read(SETTINGS))?.body.toString('utf8') ?? '{}') as object;
  return {
    ...own,
    DefaultNamespace: 'default',
    NotifyOnNewVersion: false,
    DisableNewsFetch: true,
    Codec: { Endpoint: codecHost === undefined ? '' : `http://${codecHost}${CODEC_PATH}` },
  };
}

/** Details and summaries of a workflow, which the page shows in frames without scripts. */
function sendMarkdown(answer: ServerResponse, query: URLSearchParams): void {
  const dark = (query.get('overrideTheme') ?? query.get('theme') ?? '').includes('dark');
  const [color, background] = dark ? ['#f8fafc', '#141414'] : ['#121416', '#fff'];
  const style = `body{margin:0;padding:1rem;font-family:sans-serif;white-space:pre-line;color:${color};background:${background}}th,td{padding:0 2rem 0 0;text-align:left}`;
  answer.setHeader(
    'content-security-policy',
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'; sandbox allow-same-origin allow-popups allow-popups-to-escape-sandbox",
  );
  const body = marked.parse(query.get('content') ?? '', { async: false });
  send(
    answer,
    'text/html; charset=utf-8',
    `<!doctype html><meta charset="utf-8"><base target="_blank"><title>Details</title><style>${style}</style>${body}`,
  );
}

function sendJson(answer: ServerResponse, status: number, document: unknown): void {
  answer.statusCode = status;
  send(answer, 'application/json', JSON.stringify(document));
}

function send(answer: ServerResponse, type: string, body: string | Buffer): void {
  answer.setHeader('content-type', type);
  answer.setHeader('x-frame-options', 'SAMEORIGIN');
  answer.setHeader('x-content-type-options', 'nosniff');
  answer.end(body);
}

function refuse(answer: ServerResponse, status: number, why: string): void {
  answer.statusCode = status;
  send(answer, 'text/plain; charset=utf-8', `${why}\n`);
}
