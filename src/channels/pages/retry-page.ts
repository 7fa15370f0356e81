import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { IntakeRefusal } from '../../files/intake/intake-refusal.ts';
import { html } from '../../reports/html.ts';
import { answerOf } from '../http/answer-error.ts';
import { parsed, storableText } from '../http/documents.ts';
import { takeInTurn } from '../http/intake-turns.ts';
import { visibleBatchOf } from '../http/may-see.ts';
import { placeOf } from '../http/operation.ts';
import { RETRY } from '../http/operations/retry-operations.ts';
import { accessOf } from '../http/route-access.ts';
import { show, viewOf } from './layout.ts';
import { batchPath } from './pieces.ts';
import type { PagesGateway } from './sessions.ts';
import { findingTable, payForm, planFacts, plannedFor, SUBMITTING } from './submit-page.ts';

const rowsField = z
  .string()
  .regex(/^[\d,]*$/)
  .max(10_000)
  .optional()
  .transform((text) => (text === undefined || text === '' ? undefined : text));
const retryQuery = z.object({ rows: rowsField });
const retryBody = z.object({ rows: rowsField, plan: z.string().max(100), by: storableText.optional() });

/** `/batches/ID/retry`: what would be paid again of a batch, and its confirmation; `rows`: data rows, absent: all proven unpaid. */
export function retryRoutes(app: FastifyInstance, gateway: PagesGateway): void {
  const retry = async (
    { caller }: FastifyRequest,
    id: string,
    asked: z.input<typeof retryBody> | { rows?: string },
  ) => {
    const dryRun = !('plan' in asked);
    const { handed } = await takeInTurn(gateway, caller, () =>
      RETRY.run(placeOf(gateway, caller), RETRY.input.parse({ id, ...asked, dryRun })),
    );
    return handed;
  };
  app.get('/batches/:id/retry', accessOf(SUBMITTING), async (request, reply) => {
    const batch = await visibleBatchOf(gateway, request);
    const { rows } = parsed(retryQuery, request.query);
    const view = viewOf(request, reply, gateway);
    const path = `${batchPath(batch.batchId)}/retry`;
    const back = html`<p><a href="${batchPath(batch.batchId)}">${batch.file}</a></p>`;
    try {
      const handed = await retry(request, batch.batchId, { rows });
      if (handed.outcome !== 'planned') return reply.redirect(batchPath(handed.batchId), 303);
      const fields = html`${rows !== undefined && html`<input type="hidden" name="rows" value="${rows}">`}`;
      const body = html`<h1>Pay again</h1>${back}
<p class="note">Only rows that are proven unpaid, each under a new reference.</p>
${planFacts(await plannedFor(gateway, request.caller, handed.document))}${payForm(view, path, handed.document, fields)}`;
      return show(reply, view, { title: 'Pay again', body });
    } catch (error) {
      if (!(error instanceof IntakeRefusal)) throw error;
      const body = html`<h1>This cannot be paid again</h1>${back}
<p class="problem" role="alert">${error.message}</p>
${error.findings.length === 0 ? html`<p>${error.hint}</p>` : findingTable(error.findings)}`;
      return show(reply, view, { title: 'This cannot be paid again', body, status: answerOf(error).status });
    }
  });
  app.post('/batches/:id/retry', accessOf(SUBMITTING), async (request, reply) => {
    const batch = await visibleBatchOf(gateway, request);
    const handed = await retry(request, batch.batchId, parsed(retryBody, request.body, 'form'));
    if (handed.outcome === 'planned') throw new Error('a plan that was agreed to was not carried out');
    return reply.redirect(batchPath(handed.batchId), 303);
  });
}
