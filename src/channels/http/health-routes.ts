import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { readinessOf } from '../../platform/telemetry/readiness.ts';
import { readiness } from './documents.ts';
import { type Gateway, probesOf } from './gateway-app.ts';
import { OPEN } from './route-access.ts';
import { answerSchemas } from './schemas.ts';

const TAGS = ['health'];

/** For whatever supervises the gateway; they say nothing about payouts and require no token. */
export function healthRoutes(app: FastifyInstance, gateway: Gateway): void {
  const alive = z.object({ status: z.literal('ok') });
  const response = answerSchemas({ 200: [alive, 'the process answers'] });
  app.get('/healthz', { schema: { tags: TAGS, summary: 'Alive', response }, ...OPEN }, async () => ({ status: 'ok' }));

  const look = readinessOf(probesOf(gateway), gateway);
  const answers = answerSchemas({ 200: [readiness, 'files can be taken'], 503: [readiness, 'a part is down'] });
  const schema = { tags: TAGS, summary: 'Ready', response: answers };
  app.get('/readyz', { schema, ...OPEN }, async (_request, reply) => {
    const [answer, shown] = await Promise.all([look(), gateway.warnings()]);
    return reply.code(answer.ready ? 200 : 503).send({ schemaVersion: 1, ...answer, warnings: shown });
  });
}
