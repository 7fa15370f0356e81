import swagger from '@fastify/swagger';
import type { FastifyInstance, FastifyRequest, FastifySchema, RouteOptions } from 'fastify';
import { z } from 'zod';
import { ROLES } from '../../domain/authority.ts';
import type { Caller } from './callers.ts';
import {
  ERROR_SAYS,
  errorDocument,
  instructionDocument,
  JSON_TYPE,
  jsonSchema,
  namedSchemas,
  PROBLEM_TYPE,
} from './documents.ts';
import { accessOf, type RouteAccess } from './route-access.ts';

const TAGS: Readonly<Record<string, string>> = {
  payouts: 'Every payout, in any batch or none.',
  batches: 'Files of payouts, and what became of them.',
  decisions: 'What waits for people, and what they decide.',
  incidents: 'What the bank shows that contradicts what is stored.',
  switches: 'What is switched off.',
  'transfers and exchanges': 'Between own accounts.',
  bank: 'What the bank shows now.',
  'card payments': 'Money from cards.',
  people: 'Who the caller is.',
  events: 'Events for other systems.',
  audit: 'The log of who did what.',
  statements: 'What the bank booked.',
  webhooks: 'What the acquirer sends.',
  health: 'For a supervisor.',
};

/** The OpenAPI document. */
export async function describe(
  app: FastifyInstance,
  readerOf: (request: FastifyRequest) => Promise<Caller>,
): Promise<void> {
  app.addHook('onRequest', async (request) => {
    // By the matched route: a path can be written in several ways.
    if (request.routeOptions.url === '/openapi.json') request.caller = await readerOf(request);
  });
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'durable-payouts',
        description:
          'Under a policy an operation is for the roles that it names, within the scope of the caller. An unknown parameter or member is refused, as is an id of more than 1,000 characters and most other texts of more than 200. What is answered with 5XX has the form of 4XX.',
        version: '1',
        contact: { name: 'The people who run this gateway' },
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' } as { name: string },
      },
      servers: [{ url: '/', description: 'this gateway' }],
      tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
      components: {
        securitySchemes: {
          token: { type: 'http', scheme: 'bearer' },
          clientSecret: { type: 'http', scheme: 'bearer', description: 'of one card payment' },
        },
      },
      security: [{ token: [] }],
    },
    transform: ({ schema, url, route }) => ({ schema: described(schema, route), url }),
    transformObject: (document) => completed('openapiObject' in document ? document.openapiObject : {}),
  });
  let written: string | undefined;
  const access = accessOf({ roles: ROLES, scope: 'none' });
  app.get('/openapi.json', { schema: { hide: true }, ...access }, async (_request, reply) => {
    // Once: it is long, and always the same.
    written ??= JSON.stringify(app.swagger());
    return reply.type(JSON_TYPE).serializer(String).send(written);
  });
}

/** With whom the route is for. */
function described(schema: FastifySchema = {}, { config }: RouteOptions): FastifySchema {
  const access = config?.access;
  const texts = [schema.description, access === undefined ? undefined : whoText(access)];
  return { ...schema, description: texts.filter((text) => text !== undefined).join(' ') };
}

function whoText(access: RouteAccess): string {
  if (access === 'open') return 'For everybody.';
  const who = access.roles.length === ROLES.length ? 'Any role.' : `Roles: ${access.roles.join(', ')}.`;
  return 'or' in access ? `${who} Or the client secret of the payment.` : who;
}

const INSTRUCTIONS = z.union([z.array(instructionDocument), z.object({ payouts: z.array(instructionDocument) })]);

interface Described {
  paths?: Record<string, Record<string, DescribedOperation>>;
  components?: Record<string, object>;
}

interface DescribedOperation {
  parameters?: object[];
  responses?: Record<string, { content?: Record<string, object> }>;
  requestBody?: { content?: Record<string, object> };
}

/** Named documents in one place, and errors once for all operations. */
function completed(document: object): Described {
  const { paths = {}, components, ...head } = document as Described;
  const file = paths['/v1/batches']?.post?.requestBody?.content;
  if (file?.['application/json'] !== undefined) file['application/json'] = { schema: jsonSchema(INSTRUCTIONS) };
  for (const operation of Object.values(paths).flatMap((path) => Object.values(path))) {
    const { responses = {} } = operation;
    for (const [status, { content = {} }] of Object.entries(responses)) {
      if (content[PROBLEM_TYPE] === undefined) continue;
      delete responses[status];
      responses['4XX'] = { $ref: '#/components/responses/Problem' } as object;
    }
  }
  const parameters = sharedParameters(Object.values(paths).flatMap((path) => Object.values(path)));
  const schema = jsonSchema(errorDocument, 'output');
  const says = Object.entries(ERROR_SAYS).map(([status, text]) => `${status}: ${text}`);
  const responses = { Problem: { description: `${says.join('; ')}.`, content: { [PROBLEM_TYPE]: { schema } } } };
  const schemas = Object.fromEntries(Object.entries(namedSchemas).sort(([a], [b]) => (a < b ? -1 : 1)));
  return {
    ...head,
    components: { ...components, schemas, parameters, responses },
    paths,
  };
}

/** Parameters that several operations have, each once. */
function sharedParameters(operations: readonly DescribedOperation[]): Record<string, object> {
  const all = operations.flatMap(({ parameters = [] }) => parameters.map(tidied));
  const times = Map.groupBy(all, (it) => JSON.stringify(it));
  const names = new Map<string, string>();
  for (const [text, [it, ...more]] of times) {
    if (more.length === 0 || it === undefined) continue;
    const taken = [...names.values()].filter((name) => name.replace(/\d+$/, '') === it.name).length;
    names.set(text, taken === 0 ? it.name : `${it.name}${taken + 1}`);
  }
  for (const operation of operations) {
    operation.parameters = operation.parameters?.map(tidied).map((it) => {
      const name = names.get(JSON.stringify(it));
      return name === undefined ? it : { $ref: `#/components/parameters/${name}` };
    });
  }
  return Object.fromEntries([...names].map(([text, name]) => [name, JSON.parse(text)]));
}

/** A list is separated by commas, and what is not required does not say so. */
function tidied(parameter: object): { name: string } {
  const { required, ...it } = parameter as { name: string; in: string; required?: boolean; schema?: { type?: string } };
  const isList = it.in === 'query' && it.schema?.type === 'array';
  return { ...it, ...(isList && { style: 'form', explode: false }), ...(required === true && { required }) };
}
