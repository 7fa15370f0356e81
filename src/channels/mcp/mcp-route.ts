import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import { createMcpHandler } from '@modelcontextprotocol/server';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ROLES } from '../../domain/authority.ts';
import { Problem } from '../../domain/problem.ts';
import { admitCallers } from '../http/admission.ts';
import { takeJsonOnly } from '../http/bodies.ts';
import { bearerOf } from '../http/callers.ts';
import type { Gateway } from '../http/gateway-app.ts';
import { gatewayClient } from '../http/gateway-client.ts';
import { accessOf } from '../http/route-access.ts';
import { harmless, mcpServer } from './mcp-server.ts';

/**
 * `POST /mcp`: the Model Context Protocol over streamable HTTP, without sessions. A tool is a request to the API of this gateway with
 * the token of the caller, so that roles, scopes and limits are those of the API.
 */
export async function mcpRoute(app: FastifyInstance, gateway: Gateway): Promise<void> {
  const { mcp } = gateway.config.gateway;
  if (mcp === 'off') return;
  await admitCallers(app, gateway);
  takeJsonOnly(app);
  app.post('/mcp', { schema: { hide: true }, ...accessOf({ roles: ROLES, scope: 'each' }) }, async (request, reply) => {
    assertOwnOrigin(request, gateway);
    assertOne(request.body);
    const origin = originOf(request);
    const api = gatewayClient(origin, () => bearerOf(request), harmless(inside(app, request)));
    const pages = gateway.config.settings.policy?.origin ?? origin;
    const server = () => mcpServer({ api, pages }, { proposes: mcp === 'propose' });
    const handler = createMcpHandler(server, { maxSubscriptions: 0 });
    return answer(reply, await handler.fetch(asWebRequest(request), { parsedBody: request.body }));
  });
}

const originOf = ({ protocol, host }: FastifyRequest): string => `${protocol}://${host}`;

/** The API of this gateway, as whoever sends the request. */
const inside =
  (app: FastifyInstance, { headers }: FastifyRequest): typeof fetch =>
  async (address, given) => {
    const { pathname, search } = new URL(String(address));
    const response = await app.inject({
      method: given?.method === 'POST' ? 'POST' : 'GET',
      url: pathname + search,
      headers: { ...(given?.headers as Record<string, string>), host: headers.host ?? '' },
      ...(given?.body != null && { payload: String(given.body) }),
      payloadAsStream: true,
    });
    return new Response(Readable.toWeb(response.stream()) as ReadableStream<Uint8Array>, {
      status: response.statusCode,
      headers: response.headers as Record<string, string>,
    });
  };

/** A page elsewhere that has a token, or that a browser was led to, gets nothing. */
function assertOwnOrigin(request: FastifyRequest, { config }: Gateway): void {
  const { origin } = request.headers;
  if (origin === undefined || origin === originOf(request) || origin === config.settings.policy?.origin) return;
  throw new Problem('forbidden', 'origin-refused', 'Requests from pages of this origin are refused.', {
    hint: 'Send it from no page, or from one of the gateway.',
  });
}

/** Several calls in one request would count as one. */
function assertOne(body: unknown): void {
  if (typeof body === 'object' && body !== null && !Array.isArray(body)) return;
  throw new Problem('usage', 'usage', 'The body is not one JSON-RPC message.', {
    hint: 'Send one message in each request.',
  });
}

function asWebRequest(request: FastifyRequest): Request {
  const headers = new Headers();
  for (const [name, value] of Object.entries(request.headers)) headers.set(name, String(value));
  return new Request(originOf(request) + request.url, { method: 'POST', headers });
}

function answer(reply: FastifyReply, { status, headers, body }: Response): FastifyReply {
  reply.code(status).headers(Object.fromEntries(headers));
  return body === null ? reply.send() : reply.send(Readable.fromWeb(body as ReadableStream));
}
