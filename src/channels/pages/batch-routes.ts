import { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { MESSAGES } from '../../domain/names.ts';
import { NEEDS_PEOPLE_STATES, needsAttention, PAYOUT_STATES, type PayoutState } from '../../domain/payout-state.ts';
import { currencyTotals } from '../../reports/currency-totals.ts';
import { ERP_FORMATS } from '../../reports/erp-formats.ts';
import { stepContext } from '../../reports/report-source.ts';
import { stepGroups } from '../../reports/step-groups.ts';
import type { PayoutRecord, Store } from '../../store/store.ts';
import { whenOver } from '../http/admission.ts';
import { BATCH_CONTROL, batchFileRoutes, controlBatch, REPORTS } from '../http/batch-routes.ts';
import { parsed, storableText } from '../http/documents.ts';
import { mayControlBatch, visibleBatchOf } from '../http/may-see.ts';
import { ANY_ROLE, accessOf } from '../http/route-access.ts';
import { mayDecideBatch } from './batch-decision-routes.ts';
import { batchPage } from './batch-page.ts';
import { show, viewOf } from './layout.ts';
import { batchPath } from './pieces.ts';
import { progressOf, progressStreams } from './progress.ts';
import { callerSeen, type PagesGateway } from './sessions.ts';

const ROWS_MAX = 100;
/** Up to this many rows are added up at every request, which takes milliseconds. */
const ADDED_MAX = 10_000;
/** Limit of rows read for next steps, each for those that wait for people and for the others. */
const STEPS_MAX = 500;
const WITH_REASONS = PAYOUT_STATES.filter(
  (state) => !needsAttention(state) && state !== 'received' && state !== 'completed',
);

const pageQuery = z.object({
  state: z.union([z.literal('').transform(() => undefined), z.enum(PAYOUT_STATES)]).optional(),
  after: z.coerce.number().int().min(0).default(0),
  told: z.unknown().optional(),
});
const controlBody = z.object({
  control: z.enum(['pause', 'drain', 'resume', 'cancel']),
  by: storableText.optional(),
});

/** `/batches/ID`: its rows, its progress, its reports, and what can be done with it. */
export function batchRoutes(app: FastifyInstance, gateway: PagesGateway): void {
  const { store } = gateway;
  const streams = progressStreams();
  app.get('/batches/:id', accessOf(ANY_ROLE), async (request, reply) => {
    const { state, after, told } = parsed(pageQuery, request.query);
    const batch = await visibleBatchOf(gateway, request);
    const { batchId } = batch;
    const states = state === undefined ? PAYOUT_STATES : [state];
    const read = await store.rowPage(batchId, { states, after, limit: ROWS_MAX + 1 });
    const rows = read.slice(0, ROWS_MAX);
    const view = viewOf(request, reply, gateway);
    const stepping = await steppingRows(store, batchId);
    const amounts = await store.amounts(batchId, ADDED_MAX + 1);
    const body = batchPage({
      view,
      batch,
      steps: stepGroups(stepping.rows, await stepContext(gateway, stepping.rows)),
      isCut: stepping.isCut,
      now: gateway.now(),
      hasJustDecided: told === 'decided',
      byState: await store.stateCounts(batchId),
      totals: amounts.length > ADDED_MAX ? undefined : currencyTotals(amounts),
      rows,
      state,
      next: read.length > ROWS_MAX ? (rows.at(-1)?.row ?? undefined) : undefined,
      incidents: await store.incidentsOf(rows.map(({ reference }) => reference)),
      mayDecide: mayDecideBatch(request.caller, batch),
      mayControl: await mayControlBatch(request.caller, store, batch),
      reports: [...REPORTS, ...ERP_FORMATS.filter((name) => name !== 'pain002' || batch.message !== null)],
    });
    return show(reply, view, { title: batch.file, body });
  });
  // Whoever asks only for the head of a stream would leave it running behind a connection that is closed.
  app.get('/batches/:id/live', { exposeHeadRoute: false, ...accessOf(ANY_ROLE) }, async (request, reply) => {
    const { batchId } = await visibleBatchOf(gateway, request);
    whenOver(reply, streams.enter(request.caller.name ?? request.address));
    const isLetIn = (): boolean => callerSeen(request, gateway) !== undefined;
    const events = progressOf({ store, closing: gateway.closing }, batchId, isLetIn);
    return reply.type('text/event-stream').send(Readable.from(events));
  });
  batchFileRoutes(app, gateway, '', 'attachment');
  app.post('/batches/:id/control', accessOf(BATCH_CONTROL), async (request, reply) => {
    const { control, by } = parsed(controlBody, request.body, 'form');
    const batch = await visibleBatchOf(gateway, request);
    await controlBatch(gateway, request.caller, batch, {
      update: MESSAGES[control],
      by: request.caller.name ?? by ?? 'gateway',
    });
    return reply.redirect(batchPath(batch.batchId), 303);
  });
}

/** Rows that wait for people, others that may have a reason, and those that a switch may stop; the first ones of the file. */
async function steppingRows(store: Store, batchId: string): Promise<{ rows: PayoutRecord[]; isCut: boolean }> {
  const rows: PayoutRecord[] = [];
  let isCut = false;
  const unstarted: PayoutState[][] = (await store.switches()).length > 0 ? [['received']] : [];
  for (const states of [NEEDS_PEOPLE_STATES, WITH_REASONS, ...unstarted]) {
    const read = await store.rowPage(batchId, { states, after: 0, limit: STEPS_MAX + 1 });
    isCut ||= read.length > STEPS_MAX;
    rows.push(...read.slice(0, STEPS_MAX));
  }
  return { rows, isCut };
}
