import { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { MESSAGES } from '../../domain/names.ts';
import { acceptsControl, type BatchControl } from '../../domain/payout-state.ts';
import { Problem } from '../../domain/problem.ts';
import { askAudited } from '../../people/decisions/weigh.ts';
import { updateBatch } from '../../platform/temporal/executions.ts';
import { inTime } from '../../platform/temporal/worker-answer.ts';
import { documentOf } from '../../reports/report-batch.ts';
import { batchDocument } from '../../reports/report-document.ts';
import type { BatchRecord } from '../../store/store.ts';
import { batchFileRoutes } from './batch-files.ts';
import { type Caller, makerOf } from './callers.ts';
import { batchParams, controlDocument, errorAnswers, JSON_TYPE } from './documents.ts';
import type { Gateway } from './gateway-app.ts';
import { assertMayControl, visibleBatchOf } from './may-see.ts';
import { ANY_ROLE, accessOf, type CallerAccess } from './route-access.ts';
import { answerSchemas, jsonSchema, parsed, storableText } from './schemas.ts';
import { smallBody } from './small-body.ts';

const TAGS = ['batches'];
const controlQuery = z.strictObject({ by: storableText.optional().describe('who asks') });

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
    tags: TAGS,
    summary: 'The state of a batch',
    params: jsonSchema(batchParams),
    response: answerSchemas({ 200: [batchDocument, 'as `payouts status ID --json`'], ...errorAnswers(404) }),
  };
  app.get('/v1/batches/:id', { schema: showSchema, ...accessOf(ANY_ROLE) }, async (request, reply) => {
    const { batchId } = await visibleBatchOf(gateway, request);
    return reply.type(JSON_TYPE).send(Readable.from(documentOf(gateway, batchId)));
  });
  for (const [name, [update, summary]] of Object.entries(CONTROLS)) {
    const schema = {
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
  // Whatever is carried out writes its own audit entry.
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
