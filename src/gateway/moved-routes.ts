import { createReadStream } from 'node:fs';
import { basename } from 'node:path';
import * as contentDisposition from 'content-disposition';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { MOVED_FORMATS, type MovedFormat } from '../reports/moved-formats.ts';
import { batchOf } from './batch-routes.ts';
import { errorAnswers } from './documents.ts';
import type { GatewayDeps } from './gateway-deps.ts';
import { answerSchemas, jsonSchema } from './schemas.ts';

const MEDIA_TYPE: Readonly<Record<MovedFormat, string>> = {
  camt054: 'application/xml; charset=utf-8',
  journal: 'text/csv; charset=utf-8',
};

const SUMMARY: Readonly<Record<MovedFormat, string>> = {
  camt054: 'What the orders of a batch moved, as an advice (camt.054.001.08)',
  journal: 'The same as a journal for booking, in double entry (CSV)',
};

/** What the orders of a batch moved, for software that books it. */
export function movedRoutes(app: FastifyInstance, deps: GatewayDeps): void {
  for (const format of MOVED_FORMATS) {
    const schema = {
      tags: ['batches'],
      summary: SUMMARY[format],
      description: 'The header `payouts-unclear` counts what may have moved and is not in it.',
      params: jsonSchema(z.object({ id: z.string().describe('batch id') })),
      response: {
        200: { description: 'the file', content: { 'application/octet-stream': { schema: { type: 'string' } } } },
        ...answerSchemas(errorAnswers(401, 403, 404)),
      },
    };
    app.get(`/v1/batches/:id/reports/${format}`, { schema }, (request, reply) =>
      sendMoved(deps, request, reply, { format, type: 'inline' }),
    );
  }
}

export async function sendMoved(
  deps: GatewayDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  { format, type }: { format: MovedFormat; type: 'inline' | 'attachment' },
): Promise<FastifyReply> {
  const { batchId } = await batchOf(deps, request);
  const { path, unclear } = await deps.moved(batchId, format);
  return reply
    .header('content-disposition', contentDisposition.create(basename(path), { type }))
    .header('payouts-unclear', unclear.length)
    .type(MEDIA_TYPE[format])
    .send(createReadStream(path));
}
