import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { STATEMENT_NAMES } from '../../files/statements/read-statement.ts';
import { takeStatements } from '../../reports/statements/take-statement.ts';
import { makerOf } from './callers.ts';
import { answerSchemas, errorAnswers, jsonSchema, parsed, storableText } from './documents.ts';
import { type Gateway, uploadsOf } from './gateway-app.ts';
import { received } from './intake-routes.ts';
import { takeInTurn } from './intake-turns.ts';
import { OPERATING } from './may-see.ts';
import { maySeeBooks } from './operations/statement-operations.ts';
import { accessOf } from './route-access.ts';

const query = z.strictObject({
  file: z.string().optional().describe('name of the file; otherwise that in Content-Disposition'),
  by: storableText.optional(),
});

const taking = z.looseObject({ file: z.string(), statements: z.array(z.looseObject({ outcome: z.string() })) });

/** `POST /v1/statements`: the body is the file itself. */
export function statementRoutes(app: FastifyInstance, gateway: Gateway): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (_request, body, done) => done(null, body));
  const schema = {
    operationId: 'takeStatement',
    tags: ['statements'],
    summary: 'Submit a bank statement',
    description:
      `The body is the file itself: ${STATEMENT_NAMES}. Each statement in it is taken once, however often it comes, or ` +
      'refused with its findings.',
    consumes: ['application/xml', 'application/octet-stream'],
    querystring: jsonSchema(query),
    body: { type: 'string', format: 'binary' },
    response: answerSchemas({ 200: [taking, 'what became of each statement'], ...errorAnswers(413, 415, 422, 503) }),
  };
  app.post('/v1/statements', { schema, ...accessOf(OPERATING) }, async (request) => {
    const { file, by: given } = parsed(query, request.query);
    const { caller } = request;
    const by = makerOf(caller, given);
    await using upload = await received(request, uploadsOf(gateway.config), file);
    const taken = await takeInTurn(gateway, caller, () =>
      takeStatements(gateway, upload.path, { by, mayTake: (account) => maySeeBooks(caller, account) }),
    );
    return { schemaVersion: 1, ...taken };
  });
}
