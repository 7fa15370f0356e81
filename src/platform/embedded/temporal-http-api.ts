import { Connection } from '@temporalio/client';
import root from '@temporalio/proto/protos/root.js';
import { fromProto3JSON, toProto3JSON } from 'proto3-json-serializer';
import { Enum, type Message, type Method, type Root, Type } from 'protobufjs';
import { RECONNECT } from '../temporal/connection.ts';
import { GRPC, grpcStatusOf } from '../temporal/grpc-status.ts';

/** What the Web UI is answered: `json` is a protobuf message as JSON, or `{code, message}` with the gRPC status. */
export interface ApiAnswer {
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
  // Whatever is thrown before the call is about the request: a path, a body or a value that cannot be read.
  if (code === undefined)
    return failed(400, GRPC.INVALID_ARGUMENT, error instanceof Error ? error.message : 'unreadable');
  const { details } = error as { details?: string };
  return failed(HTTP_STATUS[code] ?? 500, code, details ?? 'The embedded Temporal server does not answer.');
}

const failed = (status: number, code: number, message: string): ApiAnswer => ({ status, json: { code, message } });
