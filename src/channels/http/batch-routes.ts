import { createReadStream } from 'node:fs';
import { basename } from 'node:path';
import { Readable } from 'node:stream';
import * as contentDisposition from 'content-disposition';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { MESSAGES } from '../../domain/names.ts';
import { acceptsControl, type BatchControl } from '../../domain/payout-state.ts';
import { Problem } from '../../domain/problem.ts';
import { askAudited } from '../../people/decisions/verify.ts';
import type { App } from '../../platform/app.ts';
import { inTime } from '../../platform/temporal/worker-answer.ts';
import { updateBatch } from '../../platform/temporal/workflow-executions.ts';
import { writeErpFile } from '../../reports/erp-file.ts';
import { ERP_FORMATS, type ErpFormat } from '../../reports/erp-formats.ts';
import { documentOf, reportBatch } from '../../reports/report-batch.ts';
import { batchDocument, type ReportPaths } from '../../reports/report-document.ts';
import type { BatchRecord } from '../../store/store.ts';
import { smallBody } from './bodies.ts';
import { type Caller, makerOf } from './callers.ts';
import {
  answerSchemas,
  batchParams,
  controlDocument,
  errorAnswers,
  fileAnswer,
  JSON_TYPE,
  jsonSchema,
  parsed,
  storableText,
} from './documents.ts';
import type { Gateway } from './gateway-app.ts';
import { assertMayControl, visibleBatchOf } from './may-see.ts';
import { flag, reportLink } from './operation.ts';
import { ANY_ROLE, accessOf, type CallerAccess } from './route-access.ts';

const TAGS = ['batches'];
const controlQuery = z.strictObject({ by: storableText.optional() });

const CONTROLS = {
  pause: [MESSAGES.pause, 'Send nothing more of a batch'],
  drain: [MESSAGES.drain, 'Start no further rows; rows in progress finish'],
  resume: [MESSAGES.resume, 'Continue a paused or drained batch'],
  cancel: [MESSAGES.cancel, 'Cancel the rest of a batch, if still possible; cannot be undone'],
} as const;

/** Its maker, and an operator whose scope covers it. */
export const BATCH_CONTROL: CallerAccess = { roles: ['maker', 'operator'], scope: 'each' };

export function batchRoutes(app: FastifyInstance, gateway: Gateway): void {
  // A control has no body; one that comes is ignored.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', async (_request: unknown, body: Readable) => smallBody(body));
  const showSchema = {
    operationId: 'getBatch',
    tags: TAGS,
    summary: 'The state of a batch',
    params: jsonSchema(batchParams),
    response: answerSchemas({ 200: [batchDocument, 'the batch and its rows'], ...errorAnswers(404) }),
  };
  app.get('/v1/batches/:id', { schema: showSchema, ...accessOf(ANY_ROLE) }, async (request, reply) => {
    const { batchId } = await visibleBatchOf(gateway, request);
    return reply.type(JSON_TYPE).send(documentInPieces(gateway, batchId));
  });
  for (const [name, [update, summary]] of Object.entries(CONTROLS)) {
    const schema = {
      operationId: `${name}Batch`,
      tags: TAGS,
      summary,
      params: jsonSchema(batchParams),
      querystring: jsonSchema(controlQuery),
      response: answerSchemas({
        200: [controlDocument, 'the control in force'],
        ...errorAnswers(404, 408, 409, 413, 503),
      }),
    };
    app.post(`/v1/batches/:id/${name}`, { schema, ...accessOf(BATCH_CONTROL) }, async (request) => {
      const by = makerOf(request.caller, parsed(controlQuery, request.query).by) ?? 'gateway';
      const batch = await visibleBatchOf(gateway, request);
      const control = await controlBatch(gateway, request.caller, batch, { update, by });
      return { schemaVersion: 1, batchId: batch.batchId, control };
    });
  }
  batchFileRoutes(app, gateway, '/v1', 'inline');
}

/**
 * Sends a control to a batch and returns the one then in force. Throws a `Problem` if the batch has ended or the caller may not
 * control it.
 */
export async function controlBatch(
  gateway: Gateway,
  caller: Caller,
  batch: BatchRecord,
  { update, by }: { update: string; by: string },
): Promise<BatchControl> {
  await assertMayControl(caller, gateway.store, batch);
  // Each action that is carried out writes its own audit entry.
  const { control } = await askAudited(
    gateway,
    { by, action: update, subject: batch.batchId },
    async () => {
      if (!acceptsControl(batch, update)) throw hasEnded();
      return inTime(gateway.client, () => updateBatch(gateway, batch, update, by));
    },
    () => undefined,
  );
  return control;
}

const hasEnded = (): Problem =>
  new Problem('conflict', 'batch-ended', 'This batch has ended.', { hint: 'Its report shows how.' });

export const REPORTS = ['csv', 'json', 'html', 'failed'] as const;
type ReportName = (typeof REPORTS)[number];

const REPORT_TYPES: Readonly<Record<ReportName, string>> = {
  csv: 'text/csv; charset=utf-8',
  json: JSON_TYPE,
  html: 'text/html; charset=utf-8',
  failed: 'text/csv; charset=utf-8',
};

const reportQuery = z.strictObject({
  mask: flag.describe('mask payee names and the paying account'),
});

const ERP_TYPES: Readonly<Record<ErpFormat, string>> = {
  pain002: 'application/xml; charset=utf-8',
  camt054: 'application/xml; charset=utf-8',
  journal: 'text/csv; charset=utf-8',
};

/** Routes of the reports of a batch, and of its files for other software: of the API under `/v1`, and of the pages. */
export function batchFileRoutes(
  app: FastifyInstance,
  gateway: Gateway,
  base: '/v1' | '',
  disposition: 'inline' | 'attachment',
): void {
  const send = (reply: FastifyReply, path: string, type: string, content?: Readable): FastifyReply =>
    reply
      .header('content-disposition', contentDisposition.create(basename(path), { type: disposition }))
      .type(type)
      .send(content ?? createReadStream(path));
  const schema = {
    operationId: 'getBatchReport',
    tags: TAGS,
    summary: 'A report of a batch now, or a file for other software',
    description:
      '`failed`: the rows to submit again; `pain002`: the answer to a pain.001 (headers `payouts-answer-id`, `payouts-answer-version`, `payouts-supersedes`: the id before); `camt054` and `journal` (double-entry): what the orders moved (header `payouts-unclear`: how many are uncertain).',
    params: jsonSchema(batchParams.extend({ name: z.enum([...REPORTS, ...ERP_FORMATS]) })),
    querystring: jsonSchema(reportQuery),
    response: {
      200: fileAnswer(...Object.values(REPORT_TYPES), ...Object.values(ERP_TYPES)),
      ...answerSchemas(errorAnswers(404)),
    },
  };
  app.get(`${base}/batches/:id/reports/:name`, { schema, ...accessOf(ANY_ROLE) }, async (request, reply) => {
    const format = ERP_FORMATS.find((known) => known === (request.params as { name?: string }).name);
    if (format !== undefined) {
      parsed(z.strictObject({}), request.query);
      const { batchId } = await visibleBatchOf(gateway, request);
      const { path, unclear, answer } = await writeErpFile(gateway, batchId, format);
      if (answer === null) reply.header('payouts-unclear', unclear.length);
      else reply.headers({ 'payouts-answer-id': answer.messageId, 'payouts-answer-version': answer.version });
      if (answer?.supersedes != null) reply.header('payouts-supersedes', answer.supersedes);
      return send(reply, path, ERP_TYPES[format]);
    }
    const { name, path, content } = await reportOf(gateway, request);
    reply.header('content-security-policy', "default-src 'none'; style-src 'unsafe-inline'");
    return send(reply, path, REPORT_TYPES[name], content);
  });
}

/** The document of a batch, which may be long, with the addresses of its reports. */
export const documentInPieces = (gateway: Gateway, batchId: string, isMasked = false): Readable =>
  Readable.from(documentOf(gateway, batchId, { isMasked, linkOf: reportLink(batchId) }));

/** The current report files of a batch. Throws for an unknown id. */
const reportsOf = async (app: App, batchId: string, isMasked = false): Promise<ReportPaths> =>
  (await reportBatch(app, batchId, { isMasked })).head.reports;

/** The report that the address names, with the batch's current state. Throws a `Problem` for one that the batch does not have. */
async function reportOf(
  gateway: Gateway,
  request: FastifyRequest,
): Promise<{ name: ReportName; path: string; content?: Readable }> {
  const { batchId } = await visibleBatchOf(gateway, request);
  const name = REPORTS.find((known) => known === (request.params as { name?: string }).name);
  const { mask } = parsed(reportQuery, request.query);
  const reports = await reportsOf(gateway, batchId, mask);
  const path = name && reports[name];
  // The file itself names the files of this machine.
  if (name === 'json') return { name, path: reports.json, content: documentInPieces(gateway, batchId, mask) };
  if (name !== undefined && path !== undefined) return { name, path };
  const why = name === 'failed' ? 'This batch has no rows to submit again.' : 'This batch has no such report.';
  throw new Problem('not-found', 'no-such-report', why, { hint: `It has ${Object.keys(reports).join(', ')}.` });
}
