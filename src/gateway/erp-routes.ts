import { createReadStream } from 'node:fs';
import { basename } from 'node:path';
import * as contentDisposition from 'content-disposition';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { ERP_FORMATS, type ErpFormat } from '../reports/erp-formats.ts';
import { visibleBatchOf } from './batch-routes.ts';
import { errorAnswers, fileAnswer } from './documents.ts';
import type { GatewayDeps } from './gateway-deps.ts';
import { answerSchemas, jsonSchema } from './schemas.ts';

const MEDIA_TYPE: Readonly<Record<ErpFormat, string>> = {
  pain002: 'application/xml; charset=utf-8',
  camt054: 'application/xml; charset=utf-8',
  journal: 'text/csv; charset=utf-8',
};

const SUMMARY: Readonly<Record<ErpFormat, string>> = {
  pain002: 'The current answer to a pain.001, and which one it supersedes',
  camt054: 'What the orders of a batch moved, as an advice (camt.054.001.08)',
  journal: 'The same as a double-entry journal (CSV)',
};

const UNCLEAR = 'The header `payouts-unclear` counts items whose movement is uncertain.';
const DESCRIPTION: Readonly<Record<ErpFormat, string>> = {
  pain002:
    'Headers: `payouts-answer-id` (message id), `payouts-answer-version` (from 1), `payouts-supersedes` (id of the previous version).',
  camt054: UNCLEAR,
  journal: UNCLEAR,
};

/** Files of a batch for other software. */
export function erpRoutes(app: FastifyInstance, deps: GatewayDeps): void {
  for (const format of ERP_FORMATS) {
    const schema = {
      tags: ['batches'],
      summary: SUMMARY[format],
      description: DESCRIPTION[format],
      params: jsonSchema(z.object({ id: z.string().describe('batch id') })),
      response: {
        200: fileAnswer(MEDIA_TYPE[format]),
        ...answerSchemas(errorAnswers(404)),
      },
    };
    app.get(`/v1/batches/:id/reports/${format}`, { schema }, (request, reply) =>
      sendErpFile(deps, request, reply, { format, type: 'inline' }),
    );
  }
}

export async function sendErpFile(
  deps: GatewayDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  { format, type }: { format: ErpFormat; type: 'inline' | 'attachment' },
): Promise<FastifyReply> {
  const { batchId } = await visibleBatchOf(deps, request);
  const { path, unclear, answer } = await deps.erpFile(batchId, format);
  if (answer === null) reply.header('payouts-unclear', unclear.length);
  else reply.headers({ 'payouts-answer-id': answer.messageId, 'payouts-answer-version': answer.version });
  if (answer?.supersedes != null) reply.header('payouts-supersedes', answer.supersedes);
  return reply
    .header('content-disposition', contentDisposition.create(basename(path), { type }))
    .type(MEDIA_TYPE[format])
    .send(createReadStream(path));
}
