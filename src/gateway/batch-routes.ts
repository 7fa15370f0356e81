import { createReadStream } from 'node:fs';
import { basename } from 'node:path';
import { Readable } from 'node:stream';
import * as contentDisposition from 'content-disposition';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { MESSAGES } from '../domain/names.ts';
import { acceptsControl, type BatchControl } from '../domain/payout-state.ts';
import { Problem } from '../domain/problem.ts';
import { listBatches } from '../reports/batch-list.ts';
import { batchDocument, batchList } from '../reports/report-document.ts';
import { askAudited } from '../services/decisions/audited-request.ts';
import type { BatchRecord } from '../store/store.ts';
import { type Caller, makerOf } from './callers.ts';
import { controlDocument, errorAnswers, fileAnswer } from './documents.ts';
import type { GatewayDeps } from './gateway-deps.ts';
import { assertMayControl, maySee } from './may-see.ts';
import { answerSchemas, hasControls, jsonSchema, parsed, storableText } from './schemas.ts';
import { smallBody } from './small-body.ts';

const TAGS = ['batches'];
const byId = z.object({ id: z.string().describe('batch id') });
const controlQuery = z.strictObject({ by: storableText.optional().describe('who asks') });

const CONTROLS = {
  pause: [MESSAGES.pause, 'Send nothing more of a batch'],
  drain: [MESSAGES.drain, 'Start no further rows; rows in progress finish'],
  resume: [MESSAGES.resume, 'Continue a paused or drained batch'],
  cancel: [MESSAGES.cancel, 'Cancel the rest of a batch, if still possible; cannot be undone'],
} as const;

/** Routes of claimed batches: reading, reports, control. */
export function batchRoutes(app: FastifyInstance, deps: GatewayDeps): void {
  // A control has no body; one that comes is ignored.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', async (_request: unknown, body: Readable) => smallBody(body));
  const listAnswers = answerSchemas({ 200: [batchList, 'newest first'], ...errorAnswers() });
  app.get('/v1/batches', { schema: { tags: TAGS, summary: 'The newest batches', response: listAnswers } }, (request) =>
    listBatches(deps.store, (batch) => maySee(request.caller, deps.store, batch)),
  );
  const showSchema = {
    tags: TAGS,
    summary: 'The state of a batch',
    params: jsonSchema(byId),
    response: answerSchemas({ 200: [batchDocument, 'as `payouts status ID --json`'], ...errorAnswers(404) }),
  };
  app.get('/v1/batches/:id', { schema: showSchema }, async (request, reply) => {
    const { batchId } = await visibleBatchOf(deps, request);
    return reply.type(REPORT_TYPES.json).send(Readable.from(deps.document(batchId)));
  });
  for (const [name, [update, summary]] of Object.entries(CONTROLS)) {
    const schema = {
      tags: TAGS,
      summary,
      params: jsonSchema(byId),
      querystring: jsonSchema(controlQuery),
      response: answerSchemas({
        200: [controlDocument, 'the control in force'],
        ...errorAnswers(404, 408, 409, 413, 503),
      }),
    };
    app.post(`/v1/batches/:id/${name}`, { schema }, async (request) => {
      const by = makerOf(request.caller, parsed(controlQuery, request.query).by) ?? 'gateway';
      const batch = await visibleBatchOf(deps, request);
      const control = await controlBatch(deps, request.caller, batch, { update, by });
      return { schemaVersion: 1, batchId: batch.batchId, control };
    });
  }
}

/**
 * Sends a control to a batch and returns the one then in force. Throws a `Problem` if the batch has ended or the caller may not
 * control it.
 */
export async function controlBatch(
  deps: GatewayDeps,
  caller: Caller,
  batch: BatchRecord,
  { update, by }: { update: string; by: string },
): Promise<BatchControl> {
  await assertMayControl(caller, deps.store, batch);
  // Whatever is carried out writes its own audit entry.
  const { control } = await askAudited(
    deps,
    { by, action: update, subject: batch.batchId },
    async () => {
      if (!acceptsControl(batch, update)) throw hasEnded();
      return deps.control(batch, update, by);
    },
    () => undefined,
  );
  return control;
}

export const REPORTS = ['csv', 'json', 'html', 'failed'] as const;
type ReportName = (typeof REPORTS)[number];

export const REPORT_TYPES: Readonly<Record<ReportName, string>> = {
  csv: 'text/csv; charset=utf-8',
  json: 'application/json; charset=utf-8',
  html: 'text/html; charset=utf-8',
  failed: 'text/csv; charset=utf-8',
};

const reportQuery = z.strictObject({
  mask: z.stringbool().default(false).describe('mask payee names and the paying account: csv, json, html'),
});

export function reportRoutes(app: FastifyInstance, deps: GatewayDeps): void {
  const params = byId.extend({ name: z.enum(REPORTS) });
  const schema = {
    tags: TAGS,
    summary: 'A report of the current state of a batch',
    description: '`failed` contains the rows to submit again.',
    params: jsonSchema(params),
    querystring: jsonSchema(reportQuery),
    response: {
      200: fileAnswer(...Object.values(REPORT_TYPES)),
      ...answerSchemas(errorAnswers(404)),
    },
  };
  app.get('/v1/batches/:id/reports/:name', { schema }, (request, reply) => sendReport(deps, request, reply, 'inline'));
}

/** The report that the address names, as the batch stands. Throws a `Problem` for one that the batch does not have. */
export async function sendReport(
  deps: GatewayDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  type: 'inline' | 'attachment',
): Promise<FastifyReply> {
  const { batchId } = await visibleBatchOf(deps, request);
  const name = REPORTS.find((known) => known === (request.params as { name?: string }).name);
  const { mask } = parsed(reportQuery, request.query);
  const reports = await deps.report(batchId, mask);
  const path = name === undefined ? undefined : reports[name];
  if (name === undefined || path === undefined) throw noReport(name, Object.keys(reports));
  return reply
    .header('content-disposition', contentDisposition.create(basename(path), { type }))
    .header('content-security-policy', "default-src 'none'; style-src 'unsafe-inline'")
    .type(REPORT_TYPES[name])
    .send(createReadStream(path));
}

/** The batch in the path. Throws a `Problem` if it does not exist or the caller may not see it. */
export async function visibleBatchOf({ store }: GatewayDeps, { params, caller }: FastifyRequest): Promise<BatchRecord> {
  const { id } = params as { id: string };
  const batch = hasControls(id) ? undefined : await store.batch(id);
  if (batch !== undefined && (await maySee(caller, store, batch))) return batch;
  throw new Problem('not-found', 'unknown-id', 'There is no batch with this id.', {
    hint: 'The list of batches shows the ids.',
  });
}

const hasEnded = (): Problem =>
  new Problem('conflict', 'batch-ended', 'This batch has ended.', { hint: 'Its report shows how.' });

function noReport(name: ReportName | undefined, names: readonly string[]): Problem {
  const why = name === 'failed' ? 'This batch has no rows to submit again.' : 'This batch has no such report.';
  return new Problem('not-found', 'no-such-report', why, {
    hint: `It has ${names.join(', ')}.`,
  });
}
