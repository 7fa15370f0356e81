import { createReadStream } from 'node:fs';
import { basename } from 'node:path';
import * as contentDisposition from 'content-disposition';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { Problem } from '../../domain/problem.ts';
import type { App } from '../../platform/app.ts';
import { writeErpFile } from '../../reports/erp-file.ts';
import { ERP_FORMATS, type ErpFormat } from '../../reports/erp-formats.ts';
import { reportBatch } from '../../reports/report-batch.ts';
import type { ReportPaths } from '../../reports/report-document.ts';
import { batchParams, errorAnswers, fileAnswer, JSON_TYPE } from './documents.ts';
import type { Gateway } from './gateway-app.ts';
import { visibleBatchOf } from './may-see.ts';
import { ANY_ROLE, accessOf } from './route-access.ts';
import { answerSchemas, jsonSchema, parsed } from './schemas.ts';

export const REPORTS = ['csv', 'json', 'html', 'failed'] as const;
type ReportName = (typeof REPORTS)[number];

const REPORT_TYPES: Readonly<Record<ReportName, string>> = {
  csv: 'text/csv; charset=utf-8',
  json: JSON_TYPE,
  html: 'text/html; charset=utf-8',
  failed: 'text/csv; charset=utf-8',
};

const reportQuery = z.strictObject({
  mask: z.stringbool().default(false).describe('mask payee names and the paying account: csv, json, html'),
});

const UNCLEAR = 'The header `payouts-unclear` counts items whose movement is uncertain.';
const ERP_FILES: Readonly<Record<ErpFormat, { type: string; summary: string; description: string }>> = {
  pain002: {
    type: 'application/xml; charset=utf-8',
    summary: 'The current answer to a pain.001, and which one it supersedes',
    description:
      'Headers: `payouts-answer-id` (message id), `payouts-answer-version` (from 1), `payouts-supersedes` (id of the previous version).',
  },
  camt054: {
    type: 'application/xml; charset=utf-8',
    summary: 'What the orders of a batch moved, as an advice (camt.054.001.08)',
    description: UNCLEAR,
  },
  journal: {
    type: 'text/csv; charset=utf-8',
    summary: 'The same as a double-entry journal (CSV)',
    description: UNCLEAR,
  },
};

/** Routes of the reports of a batch, and of its files for other software: of the API under `/v1`, and of the pages. */
export function batchFileRoutes(
  app: FastifyInstance,
  gateway: Gateway,
  base: '/v1' | '',
  disposition: 'inline' | 'attachment',
): void {
  const described = (params: z.ZodType, types: readonly string[]) => ({
    tags: ['batches'],
    params: jsonSchema(params),
    response: { 200: fileAnswer(...types), ...answerSchemas(errorAnswers(404)) },
  });
  const send = (reply: FastifyReply, path: string, type: string): FastifyReply =>
    reply
      .header('content-disposition', contentDisposition.create(basename(path), { type: disposition }))
      .type(type)
      .send(createReadStream(path));
  const schema = {
    ...described(batchParams.extend({ name: z.enum(REPORTS) }), Object.values(REPORT_TYPES)),
    summary: 'A report of the current state of a batch',
    description: '`failed` contains the rows to submit again.',
    querystring: jsonSchema(reportQuery),
  };
  app.get(`${base}/batches/:id/reports/:name`, { schema, ...accessOf(ANY_ROLE) }, async (request, reply) => {
    const { name, path } = await reportOf(gateway, request);
    reply.header('content-security-policy', "default-src 'none'; style-src 'unsafe-inline'");
    return send(reply, path, REPORT_TYPES[name]);
  });
  for (const format of ERP_FORMATS) {
    const { type, ...about } = ERP_FILES[format];
    const schema = { ...described(batchParams, [type]), ...about };
    app.get(`${base}/batches/:id/reports/${format}`, { schema, ...accessOf(ANY_ROLE) }, async (request, reply) => {
      const { batchId } = await visibleBatchOf(gateway, request);
      const { path, unclear, answer } = await writeErpFile(gateway, batchId, format);
      if (answer === null) reply.header('payouts-unclear', unclear.length);
      else reply.headers({ 'payouts-answer-id': answer.messageId, 'payouts-answer-version': answer.version });
      if (answer?.supersedes != null) reply.header('payouts-supersedes', answer.supersedes);
      return send(reply, path, type);
    });
  }
}

/** The report files of a batch as it stands. Throws for an unknown id. */
export const reportsOf = async (app: App, batchId: string, isMasked = false): Promise<ReportPaths> =>
  (await reportBatch(app, batchId, { isMasked })).head.reports;

/** The report that the address names, as the batch stands. Throws a `Problem` for one that the batch does not have. */
async function reportOf(gateway: Gateway, request: FastifyRequest): Promise<{ name: ReportName; path: string }> {
  const { batchId } = await visibleBatchOf(gateway, request);
  const name = REPORTS.find((known) => known === (request.params as { name?: string }).name);
  const reports = await reportsOf(gateway, batchId, parsed(reportQuery, request.query).mask);
  const path = name && reports[name];
  if (name !== undefined && path !== undefined) return { name, path };
  const why = name === 'failed' ? 'This batch has no rows to submit again.' : 'This batch has no such report.';
  throw new Problem('not-found', 'no-such-report', why, { hint: `It has ${Object.keys(reports).join(', ')}.` });
}
