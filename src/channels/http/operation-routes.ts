import { hash } from 'node:crypto';
import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { takeJsonOnly } from './bodies.ts';
import { answerSchemas, changeHeader, errorAnswers, jsonSchema, parsed } from './documents.ts';
import type { Gateway } from './gateway-app.ts';
import { idempotencyKeyOf } from './idempotency.ts';
import { namesInPath, type Operation, placeOf } from './operation.ts';
import { OPERATIONS } from './operations/all.ts';
import { accessOf } from './route-access.ts';
import { wordsFor } from './words.ts';

/** A route for every operation. Who may use it is decided before its body is read. */
export function operationRoutes(app: FastifyInstance, gateway: Gateway): void {
  takeJsonOnly(app);
  for (const it of OPERATIONS) {
    const named = Object.fromEntries(namesInPath(it.path).map((name) => [name, true])) as Record<string, true>;
    const others = it.input.omit(named);
    const schema = {
      operationId: it.id,
      ...(it.hide && { hide: true }),
      tags: [it.tag],
      summary: it.summary,
      ...(it.description !== undefined && { description: it.description }),
      ...(Object.keys(named).length > 0 && { params: jsonSchema(it.input.pick(named)) }),
      ...(it.keyed && { headers: jsonSchema(changeHeader) }),
      ...(it.method === 'GET' ? { querystring: jsonSchema(others) } : { body: jsonSchema(others) }),
      response: answerSchemas({
        200: [it.answer, 'OK', it.type],
        ...errorAnswers(...(it.method === 'GET' ? ([404, 503] as const) : ([404, 408, 409, 413, 415, 503] as const))),
      }),
    };
    app.route({
      method: it.method,
      url: it.path,
      schema,
      exposeHeadRoute: false,
      ...accessOf(it.access),
      handler: async (request, reply) => {
        const answer = await it.run(
          placeOf(gateway, request.caller, wordsFor(request)),
          parsed(it.input, inputOf(request, it.method), it.method === 'GET' ? 'query' : 'body'),
          it.keyed && keyOf(request),
        );
        if (it.type === undefined) return { schemaVersion: 1, ...answer };
        return reply.type(it.type).send(Readable.from(answer as AsyncIterable<string>));
      },
    });
  }
}

/** The same for a request that comes again: a delayed one would set back what was changed since. A key may say anything. */
function keyOf(request: FastifyRequest): string | undefined {
  const key = idempotencyKeyOf(request);
  return key && hash('sha256', `${request.caller.name ?? ''}/${key}`);
}

function inputOf({ query, body, params }: FastifyRequest, method: Operation<unknown>['method']): object {
  const given = method === 'GET' ? query : (body ?? {});
  // What is no object is refused by the schema.
  if (typeof given !== 'object' || given === null || Array.isArray(given)) return given as object;
  return { ...given, ...(params as object) };
}
