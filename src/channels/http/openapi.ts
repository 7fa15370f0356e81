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
  payouts: 'In any batch or none.',
  batches: 'Files of payouts.',
  decisions: 'What waits for people.',
  incidents: 'What contradicts what is stored.',
  switches: 'What is switched off.',
  moves: 'Between own accounts.',
  bank: 'What the bank shows now.',
  cards: 'Money from cards.',
  people: 'Who the caller is.',
  events: 'Events for other systems.',
  audit: 'The log of who did what.',
  statements: 'What the bank booked.',
  webhooks: 'What the acquirer sends.',
  health: 'For a supervisor.',
};

const ABOUT =
  'Under a policy an operation is for the roles that it names, within the scope of the caller. ' +
  '`by` names who asks, where no token says so. An unknown parameter or member is refused, as is an id of more than ' +
  '1,000 characters and most other texts of more than 200. Amounts are decimal. Every answer in JSON has ' +
  '`schemaVersion` 1. A 5XX has the form of a 4XX.';

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
        description: ABOUT,
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

/** With whom the route is for; that a client secret will do, its security says. */
function described(schema: FastifySchema = {}, { config }: RouteOptions): FastifySchema {
  const texts = [schema.description, rolesText(config?.access)].filter((text) => text !== undefined);
  return { ...schema, ...(texts.length > 0 && { description: texts.join(' ') }) };
}

function rolesText(access: RouteAccess | undefined): string | undefined {
  if (access === undefined || access === 'open') return access && 'For everybody.';
  return access.roles.length === ROLES.length ? 'Any role.' : `Roles: ${access.roles.join(', ')}.`;
}

/** A file of JSON may be the list itself as well: but clients in some languages cannot tell two types of one body apart. */
const INSTRUCTIONS = z.object({ payouts: z.array(instructionDocument) }).meta({ id: 'Payouts' });

interface Described {
  paths?: Record<string, Record<string, DescribedOperation>>;
  components?: Record<string, object>;
}

interface DescribedOperation {
  parameters?: object[];
  responses?: Record<string, { content?: Record<string, object> }>;
  requestBody?: { content?: Record<string, object> };
}

/** Named documents in one place; errors, and parameters that several operations have, once for all of them. */
function completed(document: object): Described {
  const { paths = {}, components, ...head } = document as Described;
  const file = paths['/v1/batches']?.post?.requestBody?.content;
  if (file?.['application/json'] !== undefined) file['application/json'] = { schema: jsonSchema(INSTRUCTIONS) };
  const operations = Object.values(paths).flatMap((path) => Object.values(path));
  for (const { responses = {} } of operations) {
    for (const [status, { content = {} }] of Object.entries(responses)) {
      if (content[PROBLEM_TYPE] === undefined) continue;
      delete responses[status];
      responses['4XX'] = { $ref: '#/components/responses/4XX' } as object;
    }
  }
  for (const operation of operations) operation.parameters = operation.parameters?.map(tidied);
  const parameters = sharedParameters(operations);
  const schema = jsonSchema(errorDocument, 'output');
  const says = Object.entries(ERROR_SAYS).map(([status, text]) => `${status}: ${text}`);
  const problem = { description: `${says.join('; ')}.`, content: { [PROBLEM_TYPE]: { schema } } };
  const schemas = Object.fromEntries(Object.entries(namedSchemas).sort(([a], [b]) => (a < b ? -1 : 1)));
  return {
    ...head,
    components: { ...components, schemas, parameters, responses: { '4XX': problem } },
    paths,
  };
}

/**
 * Parameters that several operations have, by their name in the components; in their place the operations refer to them. What takes
 * less room where it is, stays there. Answers with a document are not shared: generators read no media type behind a reference.
 */
function sharedParameters(operations: readonly DescribedOperation[]): Record<string, object> {
  for (const operation of operations) operation.parameters = operation.parameters?.map(tidied);
  const all = operations.flatMap(({ parameters = [] }) => parameters as { name: string }[]);
  const names = new Map<string, string>();
  for (const [text, [it, ...more]] of Map.groupBy(all, (each) => JSON.stringify(each))) {
    if (it === undefined || !isShorter(text, more.length + 1, it.name)) continue;
    const taken = [...names.values()].filter((known) => known.replace(/\d+$/, '') === it.name).length;
    names.set(text, taken === 0 ? it.name : `${it.name}${taken + 1}`);
  }
  for (const operation of operations) {
    operation.parameters = operation.parameters?.map((it) => {
      const name = names.get(JSON.stringify(it));
      return name === undefined ? it : referenceTo(name);
    });
  }
  return Object.fromEntries([...names].map(([text, name]) => [name, JSON.parse(text)]));
}

const referenceTo = (name: string) => ({ $ref: `#/components/parameters/${name}` });

/** Whether a text in so many places is shorter once, with a reference to it in each of them. */
const isShorter = (text: string, places: number, name: string): boolean =>
  `"${name}":${text},`.length + places * JSON.stringify(referenceTo(name)).length < places * text.length;

/** Lists are separated by commas, and `required: false`, the default, is left out. */
function tidied(parameter: object): { name: string } {
  const { required, ...it } = parameter as { name: string; in: string; required?: boolean; schema?: { type?: string } };
  const isList = it.in === 'query' && it.schema?.type === 'array';
  return { ...it, ...(isList && { style: 'form', explode: false }), ...(required === true && { required }) };
}
